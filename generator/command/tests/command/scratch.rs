//! A directory of its own for each test, and runs of `tvlb` in it.

use crate::programs::program;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::{fs, str};

/// The command under test.
#[allow(dead_code, reason = "each test program uses a part of it")]
pub(crate) const TVLB: &str = match option_env!("CARGO_BIN_EXE_tvlb") {
    Some(path) => path,
    None => "tvlb",
};

/// A directory that is gone when the test is.
pub(crate) struct Scratch(tempfile::TempDir);

/// What a run of `tvlb` did.
pub(crate) struct Run {
    /// The exit code, or 128 and the signal that ended it, as a shell says it.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a fabric file of these sizes, `fabric.toml`.
    pub(crate) fn with_sizes(p: i64, a: i64, h: i64, g: i64) -> Self {
        Self::with_fabric(&format!(
            "name = \"sizes\"\n[dragonfly]\np = {p}\na = {a}\nh = {h}\ng = {g}\n"
        ))
    }

    /// With this text as `fabric.toml`, and a set if it says nothing of routing: choosing one takes
    /// a while.
    pub(crate) fn with_fabric(text: &str) -> Self {
        let set = if text.contains("routing") {
            ""
        } else {
            "\n[routing]\nset = \"strategic-2-3 by shape\"\n"
        };
        Self::with_text(&format!("{text}{set}"))
    }

    /// With just this text as `fabric.toml`.
    pub(crate) fn with_text(text: &str) -> Self {
        let scratch = Self::new();
        scratch.write("fabric.toml", text);
        scratch
    }

    /// With a fabric file that is shipped, as `fabric.toml`.
    pub(crate) fn with_shipped(name: &str) -> Self {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tables").join(name);
        Self::with_fabric(&fs::read_to_string(shipped).unwrap())
    }

    /// With the smallest shipped fabric and its table set, `out`: a copy, for generating one
    /// waits for the disk.
    pub(crate) fn with_table_set() -> Self {
        static FILES: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
            let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
            scratch.succeeds("generate fabric.toml -o out");
            scratch.files()
        });
        let scratch = Self::new();
        // In order of their names, so a directory comes before what is in it.
        for (name, bytes) in &*FILES {
            match name.strip_suffix('/') {
                Some(directory) => fs::create_dir(scratch.path(directory)).unwrap(),
                None => scratch.write(name, bytes),
            }
        }
        scratch
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// A command that begins in this directory, with no say of the environment in how it prints.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env_remove("COLUMNS").env_remove("CLICOLOR_FORCE");
        command
    }

    /// `tvlb`, or `tvlb-lab` if the command is one of its, with these arguments.
    pub(crate) fn tvlb_with<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Run {
        let arguments: Vec<&str> = arguments.into_iter().collect();
        let program = program(arguments.first().copied().unwrap_or_default());
        Run::of(&self.command(program.to_str().unwrap()).args(arguments).output().unwrap())
    }

    /// `tvlb` with arguments that are a word each.
    pub(crate) fn tvlb(&self, arguments: &str) -> Run {
        self.tvlb_with(arguments.split_whitespace())
    }

    /// What `tvlb` prints where it must succeed, without what differs from run to run.
    pub(crate) fn succeeds(&self, arguments: &str) -> String {
        let run = self.tvlb(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "tvlb {arguments}");
        run.stdout
    }

    /// [`Self::succeeds`], where `tvlb` must warn of something.
    pub(crate) fn succeeds_with_warnings(&self, arguments: &str) -> String {
        let run = self.tvlb(arguments);
        assert_eq!(run.code, 0, "tvlb {arguments}: {run}");
        let is_warned = run.stderr.lines().all(|line| line.starts_with("tvlb: warning: "));
        assert!(is_warned && !run.stderr.is_empty(), "tvlb {arguments}: {run}");
        run.stdout
    }

    /// What `tvlb` says where it must refuse its input: exit code 2, nothing printed but the
    /// message, and every file as it was.
    pub(crate) fn refuses(&self, arguments: &str) -> String {
        self.refuses_with(arguments.split_whitespace())
    }

    /// What `tvlb` says where it must find what it was asked to look for: exit code 1, nothing
    /// printed but the message, and every file as it was.
    pub(crate) fn finds(&self, arguments: &str) -> String {
        self.ends_with(1, arguments.split_whitespace())
    }

    /// What `tvlb` prints where it must find a difference: exit code 1, and no message.
    pub(crate) fn differs(&self, arguments: &str) -> String {
        let run = self.tvlb(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "tvlb {arguments}: {run}");
        run.stdout
    }

    /// [`Self::refuses`] with arguments that are not a word each.
    pub(crate) fn refuses_with<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> String {
        self.ends_with(2, arguments)
    }

    fn ends_with<'a>(&self, code: i32, arguments: impl IntoIterator<Item = &'a str>) -> String {
        let before = self.files();
        let run = self.tvlb_with(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{run}");
        assert_eq!(self.files(), before, "files were left behind or changed");
        run.stderr
    }

    /// Every file and directory here, hidden ones too; a directory's name ends in a slash.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.0.path(), "", &mut files);
        files
    }

    /// The names of what is directly in this directory.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn collect(directory: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            files.insert(format!("{name}/"), Vec::new());
            collect(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(path).unwrap());
        }
    }
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let status = output.status;
        Self {
            code: status.code().or(status.signal().map(|signal| 128 + signal)).unwrap(),
            stdout: str::from_utf8(&output.stdout).unwrap().to_owned(),
            stderr: str::from_utf8(&output.stderr).unwrap().to_owned(),
        }
    }
}

impl Display for Run {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}exit code {}", self.stdout, self.stderr, self.code)
    }
}
