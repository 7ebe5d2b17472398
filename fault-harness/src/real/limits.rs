//! A disk that is full, and limits of the process.

use std::process::{Command, Stdio};

use super::{Laboratory, Trial, input_failed, output_failed};
use crate::rulings::{Charge, Ruling, Tell};
use crate::scenario::{Scenario, Sink};

pub(super) fn plan(laboratory: &mut Laboratory, scenario: &Scenario) {
    match scenario.sink {
        Sink::File => {
            full_disk(laboratory, scenario);
            file_size(laboratory, scenario)
        }
        Sink::Pipe => {
            descriptors(laboratory, scenario);
            memory(laboratory, scenario)
        }
        _ => {}
    }
}

/// A file system of our own that is smaller than the output.
fn full_disk(laboratory: &mut Laboratory, scenario: &Scenario) {
    let Some(unshare) = own_mounts() else {
        laboratory.lacks("full disk: no mount namespaces here");
        return;
    };
    if !scenario.is_long() {
        return;
    }
    for size in ["4k", "64k", "100k", "1m"] {
        for redirect in [">disk/full", ">>disk/full"] {
            // The namespace, and the disk in it, is gone with the shell: the file is copied out.
            let inner = format!(
                "mount -t tmpfs -o size={size} none disk && \"$@\" {redirect}; status=$?; \
                 cp disk/full output; exit $status"
            );
            laboratory.add(
                "full disk",
                scenario,
                Trial {
                    detail: format!("{size} {redirect}"),
                    before: "PATH=$PATH:/usr/bin:/bin:/usr/sbin:/sbin; mkdir disk;".to_owned(),
                    wrapper: [unshare.clone(), vec!["sh".into(), "-c".into(), inner, "sh".into()]]
                        .concat(),
                    charge: output_failed(&["ENOSPC"]),
                    ..Trial::default()
                },
            );
        }
    }
}

/// How to get a mount namespace, as root or as anybody.
fn own_mounts() -> Option<Vec<String>> {
    let ways = [vec!["unshare", "-m"], vec!["unshare", "-r", "-m"]];
    let works = |way: &Vec<&str>| {
        let script = "mount -t tmpfs none /tmp";
        let mut tried = Command::new(way[0]);
        let tried = tried.args(&way[1..]).args(["sh", "-c", script]);
        let tried = tried.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        tried.status().is_ok_and(|status| status.success())
    };
    ways.into_iter().find(works).map(|way| way.into_iter().map(str::to_owned).collect())
}

/// RLIMIT_FSIZE: its signal kills, unless it is ignored; then the call fails.
fn file_size(laboratory: &mut Laboratory, scenario: &Scenario) {
    if !scenario.is_long() {
        return;
    }
    for blocks in [0, 1, 9, 128, 1025] {
        for ignored in [false, true] {
            let trap = if ignored { "trap '' XFSZ;" } else { "" };
            let mut charge = output_failed(&["EFBIG"]);
            charge.deaths.extend((!ignored).then_some(libc::SIGXFSZ));
            laboratory.add(
                "file size limit",
                scenario,
                Trial {
                    detail: format!(
                        "ulimit -f {blocks}{}",
                        if ignored { ", SIGXFSZ ignored" } else { "" }
                    ),
                    before: format!("{trap} ulimit -f {blocks};"),
                    charge,
                    ..Trial::default()
                },
            );
        }
    }
}

/// RLIMIT_NOFILE: with no descriptor left nothing can be opened; with one, everything works.
fn descriptors(laboratory: &mut Laboratory, scenario: &Scenario) {
    let named = scenario.inputs.iter().position(|input| input.operand(false).is_some());
    for limit in 3..=8 {
        let charge = match named {
            Some(input) if limit == 3 => input_failed(input, &["EMFILE"]),
            _ => Charge::default(),
        };
        if limit == 3 && scenario.inputs.len() > 1 {
            continue;
        }
        laboratory.add(
            "descriptor limit",
            scenario,
            Trial {
                detail: format!("ulimit -n {limit}"),
                before: format!("ulimit -n {limit};"),
                may_not_start: true,
                charge,
                ..Trial::default()
            },
        );
    }
}

/// RLIMIT_AS, from where the program can only just start.
fn memory(laboratory: &mut Laboratory, scenario: &Scenario) {
    for kilobytes in (256..3000).step_by(128).chain((3000..9000).step_by(1000)) {
        laboratory.add(
            "memory limit",
            scenario,
            Trial {
                detail: format!("ulimit -v {kilobytes}"),
                before: format!("ulimit -v {kilobytes};"),
                may_not_start: true,
                charge: Charge {
                    rulings: vec![Ruling::new(Tell::May, Vec::new(), "memory")],
                    of_memory: true,
                    ..Charge::default()
                },
                ..Trial::default()
            },
        );
    }
}
