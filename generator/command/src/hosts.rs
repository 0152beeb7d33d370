//! The option `--hosts`: which nodes of a fabric are one host.

use crate::failure::{Failure, refused};
use crate::traffic::content;
use clap::Args;
use std::path::PathBuf;
use tvlb_schema::Dragonfly;
use tvlb_table_set::names::{Hosts, Names, Parts};

/// Which nodes are one host.
#[derive(Args)]
pub struct HostOption {
    /// A list that says which nodes are one host, and its name: CSV with the header `node,host`. Without it, the name
    /// of a node is that of its host
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
}

impl HostOption {
    /// The hosts of a fabric.
    pub fn read(&self, df: &Dragonfly, names: &Names) -> Result<Hosts, Failure> {
        let Some(path) = &self.hosts else { return Ok(Hosts::of_names(df, names)) };
        let path = path.display().to_string();
        Hosts::read(&content(&path)?, &Parts::new(df, names)).map_err(|error| refused(&path, error))
    }

    /// The option as it was given, for a command line.
    pub fn words(&self) -> Option<[String; 2]> {
        let path = self.hosts.as_ref()?;
        Some(["--hosts".to_owned(), path.display().to_string()])
    }
}
