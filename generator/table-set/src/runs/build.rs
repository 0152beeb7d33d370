//! Identifies the build of the running program.

use crate::hex;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::sync::OnceLock;

/// The version, and for a release its commit, from `TVLB_RELEASE` at build time, as `.ci/release` sets it; for any
/// other program the hash of its file, because in a checkout code changes while the version stays. Only the identity of
/// kept work may depend on this.
pub fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        match option_env!("TVLB_RELEASE") {
            Some(commit) => format!("{version}+{commit}"),
            // A build that cannot be identified shares work with no other process.
            None => format!("{version}+{}", program_hash().unwrap_or_else(|_| random())),
        }
    })
}

fn program_hash() -> io::Result<String> {
    // The running file, even if another has taken its name since.
    let running = File::open("/proc/self/exe");
    running.or_else(|_| File::open(std::env::current_exe()?)).and_then(hash)
}

fn hash(mut file: impl Read) -> io::Result<String> {
    let (mut hash, mut part) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hex(&hash.finalize())),
            read => hash.update(&part[..read]),
        }
    }
}

fn random() -> String {
    format!("unknown-{:016x}", RandomState::new().hash_one(std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_told_by_its_program() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let expected = match option_env!("TVLB_RELEASE") {
            Some(commit) => format!("{version}+{commit}"),
            None => format!("{version}+{}", crate::sha256(&program)),
        };
        assert_eq!(build(), expected);
        assert_ne!(hash(&program[1..]).unwrap(), hash(&program[..]).unwrap());
    }
}
