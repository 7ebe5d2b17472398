//! Whose bytes are right: a fast program that loses some is out of the race before it starts.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use xxhash_rust::xxh3::Xxh3;

use crate::cells::{Cell, Expected, Work};
use crate::contenders::{Contender, Role};
use crate::ends::Consumer;
use crate::lab::Lab;
use crate::pipeline::{Extent, Pipeline, Sink};
use crate::results::Failure;

/// The length and the hash of what must arrive.
type Bytes = (u64, u64);

/// Those who take part in `cell` and deliver the right bytes; why the others do not.
pub(crate) fn check_all<'a>(
    cell: &Cell,
    lab: &Lab,
    contenders: &'a [Contender],
    work: &Work,
    expected: &Expected,
) -> (Vec<&'a Contender>, Vec<Failure>) {
    let pipeline = work.pipeline();
    let admitted = || contenders.iter().filter(|contender| cell.admits(contender));
    let mut reference = match expected {
        Expected::AsFirstPeer => admitted()
            .filter(|contender| contender.role == Role::Peer)
            .find_map(|contender| arrived(pipeline, None, lab, contender).ok()),
        Expected::Repeat(..) | Expected::Files(_) => None,
    };
    let (mut right, mut failures) = (Vec::new(), Vec::new());
    for contender in admitted() {
        match check(pipeline, expected, &mut reference, lab, contender) {
            Ok(()) => right.push(contender),
            Err(error) => failures.push(Failure::of(contender, &error)),
        }
    }
    (right, failures)
}

fn check(
    pipeline: &Pipeline,
    expected: &Expected,
    reference: &mut Option<Bytes>,
    lab: &Lab,
    contender: &Contender,
) -> Result<()> {
    let (found, right) = match expected {
        Expected::Repeat(pattern, bytes) => {
            let found = arrived(pipeline, Some(*bytes), lab, contender)?;
            let endless = matches!(pipeline.extent, Extent::Time(_) | Extent::AtRest(_));
            let bytes = if endless { found.0.min(*bytes) } else { *bytes };
            ensure!(bytes > 0, "nothing arrived");
            (found, (bytes, hash_of_repeated(pattern, bytes)))
        }
        Expected::Files(paths) => {
            let found = arrived(pipeline, None, lab, contender)?;
            (found, *reference.get_or_insert(hash_of_files(paths)?))
        }
        Expected::AsFirstPeer => {
            let found = arrived(pipeline, None, lab, contender)?;
            // Without a peer to agree with, ours is what the others must match.
            (found, *reference.get_or_insert(found))
        }
    };
    ensure!(found == right, "{} bytes, of {}, not the right ones", found.0, right.0);
    Ok(())
}

/// Runs `pipeline` with a consumer that hashes, or hashes the file that it wrote.
fn arrived(
    pipeline: &Pipeline,
    limit: Option<u64>,
    lab: &Lab,
    contender: &Contender,
) -> Result<Bytes> {
    let extent = match (pipeline.extent, limit) {
        (Extent::Time(_), Some(bytes)) if pipeline.sink.is_read() => Extent::FirstBytes(bytes),
        (extent, _) => extent,
    };
    let sink = match pipeline.sink {
        Sink::Pipe(_) | Sink::Null => Sink::Pipe(Consumer::Hash),
        Sink::Socket(_) => Sink::Socket(Consumer::Hash),
        file => file,
    };
    let run = pipeline.with(sink, extent).run(lab, contender)?;
    match (run.hash, sink) {
        (Some(hash), _) => Ok((run.bytes, hash)),
        (None, Sink::File(place) | Sink::Append(place)) => {
            hash_of_file(File::open(lab.sink_file(place))?, limit.unwrap_or(u64::MAX))
        }
        (None, _) => bail!("nobody saw the bytes"),
    }
}

fn hash_of_repeated(pattern: &[u8], mut bytes: u64) -> u64 {
    let mut hash = Xxh3::new();
    while bytes > 0 {
        let part = pattern.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
        hash.update(&pattern[..part]);
        bytes -= part as u64;
    }
    hash.digest()
}

fn hash_of_files(paths: &[PathBuf]) -> Result<Bytes> {
    let (mut hash, mut bytes) = (Xxh3::new(), 0);
    for path in paths {
        bytes += feed(&mut hash, File::open(path)?, u64::MAX)?;
    }
    Ok((bytes, hash.digest()))
}

fn hash_of_file(file: File, limit: u64) -> Result<Bytes> {
    let mut hash = Xxh3::new();
    let bytes = feed(&mut hash, file, limit)?;
    Ok((bytes, hash.digest()))
}

/// Hashes what is in `file`, up to `limit` bytes, and tells how many.
fn feed(hash: &mut Xxh3, mut file: File, limit: u64) -> Result<u64> {
    let mut buffer = vec![0; 1 << 17];
    let mut bytes = 0;
    loop {
        let wanted = buffer.len().min(usize::try_from(limit - bytes).unwrap_or(usize::MAX));
        let read = file.read(&mut buffer[..wanted])?;
        if read == 0 {
            return Ok(bytes);
        }
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
}
