//! The OCI image layout in one archive: blobs named by their digests, an index, and the older
//! `manifest.json`, which is all that docker before 25 reads.

use std::collections::BTreeMap;
use std::io;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::archive::Archive;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
pub(crate) const LAYER_GZIP: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// The name under which an image is found: `[REGISTRY/]NAME:TAG`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    name: String,
    tag: String,
}

impl Reference {
    /// Reads `NAME[:TAG]`; the tag is `latest` where there is none.
    pub(crate) fn parse(text: &str) -> Result<Reference> {
        // A colon before the last slash belongs to a registry's port.
        let (name, tag) = match text.rsplit_once(':') {
            Some((name, tag)) if !tag.contains('/') => (name, tag),
            _ => (text, "latest"),
        };
        let in_name =
            |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "._-/:".contains(it);
        let in_tag = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
        if name.is_empty() || !name.chars().all(in_name) {
            bail!("'{text}' is no image name: lower-case letters, digits and ._-/ make one");
        }
        if tag.is_empty() || tag.len() > 128 || !tag.chars().all(in_tag) {
            bail!("'{tag}' is no tag: letters, digits and ._- make one");
        }
        Ok(Reference { name: name.to_owned(), tag: tag.to_owned() })
    }

    /// The short form that docker shows.
    pub(crate) fn short(&self) -> String {
        format!("{}:{}", self.name, self.tag)
    }

    /// The form with a registry in front, which containerd goes by.
    fn full(&self) -> String {
        let registry = match self.name.split_once('/') {
            Some((first, _)) if first.contains(['.', ':']) || first == "localhost" => "",
            Some(_) => "docker.io/",
            None => "docker.io/library/",
        };
        format!("{registry}{}", self.short())
    }
}

/// Bytes in the archive, and how others refer to them.
struct Blob {
    media_type: &'static str,
    bytes: Vec<u8>,
}

impl Blob {
    fn json(media_type: &'static str, value: &Value) -> Blob {
        // Maps are sorted by key, so equal values are equal bytes.
        Blob { media_type, bytes: value.to_string().into_bytes() }
    }

    fn descriptor(&self) -> Value {
        json!({
            "mediaType": self.media_type,
            "digest": digest(&self.bytes),
            "size": self.bytes.len(),
        })
    }

    fn path(&self) -> String {
        format!("blobs/{}", digest(&self.bytes).replace(':', "/"))
    }
}

/// The digest of some bytes as OCI writes it.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

/// An image with one layer.
pub(crate) struct Image<'a> {
    pub(crate) reference: &'a Reference,
    pub(crate) config: Value,
    /// The layer as a compressed archive.
    pub(crate) layer: Vec<u8>,
    pub(crate) annotations: BTreeMap<&'static str, String>,
    pub(crate) epoch: u64,
}

impl Image<'_> {
    /// The archive that docker loads and skopeo copies.
    pub(crate) fn archive(self) -> io::Result<Vec<u8>> {
        let config = Blob::json(CONFIG, &self.config);
        let layer = Blob { media_type: LAYER_GZIP, bytes: self.layer };
        let manifest = Blob::json(
            MANIFEST,
            &json!({
                "schemaVersion": 2,
                "mediaType": MANIFEST,
                "config": config.descriptor(),
                "layers": [layer.descriptor()],
                "annotations": self.annotations,
            }),
        );
        let mut entry = manifest.descriptor();
        entry["platform"] =
            json!({ "architecture": self.config["architecture"], "os": self.config["os"] });
        entry["annotations"] = json!({
            "org.opencontainers.image.ref.name": self.reference.tag,
            "io.containerd.image.name": self.reference.full(),
        });
        let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [entry] });
        let for_docker = json!([{
            "Config": config.path(),
            "RepoTags": [self.reference.short()],
            "Layers": [layer.path()],
        }]);

        let mut files = BTreeMap::from([
            ("index.json".to_owned(), index.to_string().into_bytes()),
            ("manifest.json".to_owned(), for_docker.to_string().into_bytes()),
            ("oci-layout".to_owned(), json!({ "imageLayoutVersion": "1.0.0" }).to_string().into()),
        ]);
        files.extend([config, layer, manifest].map(|blob| (blob.path(), blob.bytes)));
        let mut archive = Archive::new(self.epoch);
        archive.directory("blobs/")?;
        archive.directory("blobs/sha256/")?;
        for (path, bytes) in &files {
            archive.file(path, bytes, 0o644)?;
        }
        archive.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Reference;

    #[test]
    fn references() {
        let both = |text| {
            let reference = Reference::parse(text).unwrap();
            (reference.short(), reference.full())
        };
        let strings = |short: &str, full: &str| (short.to_owned(), full.to_owned());
        assert_eq!(
            both("multicall"),
            strings("multicall:latest", "docker.io/library/multicall:latest")
        );
        assert_eq!(both("me/tools:1.0"), strings("me/tools:1.0", "docker.io/me/tools:1.0"));
        let with_port = "registry.example:5000/tools:v1";
        assert_eq!(both(with_port), strings(with_port, with_port));
        let untagged = "localhost:5000/tools";
        assert_eq!(both(untagged).1, format!("{untagged}:latest"));
        for wrong in ["", ":tag", "Upper:tag", "name:", "name:ta g", "na me"] {
            assert!(Reference::parse(wrong).is_err(), "{wrong}");
        }
    }
}
