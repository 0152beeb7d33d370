//! Loads a fabric: its file, and its cables from an arrangement or a list beside the file.

use crate::fabric_file::{FabricFile, FabricFileError, FabricValueError, Wiring};
use crate::recognise::Recognised;
use std::io;
use std::path::{Path, PathBuf};
use tvlb_schema::{Dragonfly, LeavesAndSpines, Nodes, VcScheme};
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_table_set::names::{Names, NamesError};
use tvlb_table_set::{FabricEntry, MOST_NAMES_BYTES};
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_topology::cable_list::{self, CableListError};
use tvlb_topology::local_links::LocalLinkError;
use tvlb_topology::{CableError, Topology};

/// A fabric file has a few dozen keys.
const MOST_FABRIC_FILE_BYTES: u64 = 1 << 20;
/// Enough for the 2²³ cables that a fabric can have.
const MOST_CABLE_LIST_BYTES: u64 = 256 << 20;

/// A fabric as its file describes it, with its cables.
#[derive(Clone, Debug)]
pub struct Fabric {
    pub file: FabricFile,
    /// Its cables, and the sizes with the local links of a cable list.
    pub topology: Topology,
    /// The machine's names of its parts, and which nodes are absent, from the list that the file names and from the
    /// arrangement.
    pub names: Names,
}

/// Why a fabric cannot be loaded or made. Each message names the file, if there is one.
#[derive(Debug, thiserror::Error)]
pub enum FabricError {
    #[error("{path}: cannot read it: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{path}: byte {offset}: found {found:#04x}, accepted UTF-8 text; is this the right file?"
    )]
    NotText { path: PathBuf, offset: usize, found: u8 },
    #[error("{path}: it is a directory, accepted a fabric file{}", .found.hint(.path))]
    Directory { path: PathBuf, found: Recognised },
    #[error(transparent)]
    Value(#[from] FabricValueError),
    #[error(transparent)]
    Wiring(#[from] CableError),
    #[error(transparent)]
    File(#[from] FabricFileError),
    #[error("{path}: {source}")]
    Cables { path: PathBuf, source: Box<CableListError> },
    #[error("{path}: {source}; they are {names}")]
    LocalLink { path: PathBuf, source: LocalLinkError, names: String },
    #[error("{path}: {source}")]
    Names { path: PathBuf, source: Box<NamesError> },
    #[error("{path}: {source}")]
    Arrangement { path: PathBuf, source: CableError },
    #[error("{path}: routing.virtual-channels = \"up-down\", but {}", VcScheme::UP_DOWN_ELSEWHERE)]
    UpDown { path: PathBuf },
}

impl Fabric {
    /// A fabric of these sizes and this arrangement of global links, with the defaults of a fabric file for all else;
    /// `seed` decides everything random.
    ///
    /// # Errors
    /// A name or seed that no fabric file can have, or an arrangement that is impossible with these sizes.
    ///
    /// # Example
    /// ```
    /// use tvlb_generator::fabric::Fabric;
    /// use tvlb_topology::arrangement::Arrangement;
    /// use tvlb_schema::{Dragonfly, Nodes};
    ///
    /// let fabric = Fabric::new("lab", Dragonfly::new(1, 4, 2, 5)?, Arrangement::Absolute, 1)?;
    /// assert_eq!(fabric.topology.cables().len(), 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        name: &str,
        dragonfly: Dragonfly,
        arrangement: Arrangement,
        seed: u64,
    ) -> Result<Self, FabricError> {
        let file = FabricFile::new(name, dragonfly, arrangement, seed)?;
        let topology = arrange(dragonfly, arrangement, seed)?;
        let names = Names::of(&arrangement.nodes(&dragonfly));
        Ok(Self { file, topology, names })
    }

    /// What a manifest says of it.
    pub fn entry(&self) -> FabricEntry {
        let FabricFile { name, seed, wiring, .. } = &self.file;
        let (df, links) = (self.topology.dragonfly(), self.file.links());
        FabricEntry {
            name: name.clone(),
            p: df.p(),
            a: df.a(),
            h: df.h(),
            g: df.g(),
            kinds: df.stated_kinds().collect(),
            wiring: match wiring {
                Wiring::Arrangement(arrangement) => arrangement.to_string(),
                Wiring::Cables(_) => "cables".to_owned(),
            },
            cables: u32::try_from(self.topology.cables().len()).unwrap_or(u32::MAX),
            seed: *seed,
            local_latency: links.local_latency_cycles.into(),
            global_latency: links.global_latency_cycles.into(),
            bandwidths: links.bandwidths,
            buffer: links.buffer_flits,
            destination_window: links.destination_window,
            injection: links.injection,
            telling: links.telling_cycles,
        }
    }

    /// How virtual channels are assigned: as the file says, or by default `up-down` if groups consist of leaves and
    /// spines, else `ordered`.
    pub fn virtual_channels(&self) -> VcScheme {
        let usual = || if self.is_dragonfly_plus() { VcScheme::UpDown } else { VcScheme::Ordered };
        self.file.virtual_channels.unwrap_or_else(usual)
    }

    /// Whether groups consist of leaves, which have the nodes, and spines, which have the cables to other groups.
    pub fn is_dragonfly_plus(&self) -> bool {
        self.topology.has_leaves_and_spines_with(self.topology.ends())
    }

    /// The existing nodes on live switches.
    pub fn nodes(&self) -> Nodes {
        self.topology.nodes(&self.names)
    }

    /// Reads a fabric file, and the cable list and the list of names if it names them.
    ///
    /// # Errors
    /// A file that cannot be read, or whose content is invalid.
    pub fn load(path: &Path) -> Result<Self, FabricError> {
        Self::load_through(path, &given(path))
    }

    /// [`Self::load`] with files from `read`, each up to a given size: some may not be written yet.
    ///
    /// # Errors
    /// A file that cannot be read, or whose content is invalid.
    pub fn load_through(path: &Path, read: Read<'_>) -> Result<Self, FabricError> {
        let (file, names) = Self::names_through(path, read)?;
        let topology = match &file.wiring {
            Wiring::Arrangement(arrangement) => arrange(file.dragonfly, *arrangement, file.seed)
                .map_err(|source| FabricError::Arrangement { path: path.to_owned(), source })?,
            Wiring::Cables(list) => {
                let list = beside(path, list);
                cable_list::read(
                    names.nodes(&file.dragonfly),
                    &text(&list, MOST_CABLE_LIST_BYTES, read)?,
                )
                .map_err(|source| in_list(list, source, (&file.dragonfly, &names)))?
            }
        };
        let nodes = names.nodes(topology.dragonfly());
        let topology = topology.with_ends(nodes.ends()).with_bandwidths(file.bandwidths);
        let fabric = Self { file, topology, names };
        if fabric.file.virtual_channels == Some(VcScheme::UpDown) && !fabric.is_dragonfly_plus() {
            return Err(FabricError::UpDown { path: path.to_owned() });
        }
        Ok(fabric)
    }

    /// Reads a fabric file, and its list of names if it names one, but not its cable list.
    ///
    /// # Errors
    /// A file that cannot be read, or whose content is invalid.
    pub fn load_names(path: &Path) -> Result<(FabricFile, Names), FabricError> {
        Self::names_through(path, &given(path))
    }

    fn names_through(path: &Path, read: Read<'_>) -> Result<(FabricFile, Names), FabricError> {
        let file = Self::file_through(path, read)?;
        let nodes = match file.wiring {
            Wiring::Arrangement(arrangement) => arrangement.nodes(&file.dragonfly),
            Wiring::Cables(_) => Nodes::from(&file.dragonfly),
        };
        let names = match &file.names {
            None => Names::of(&nodes),
            Some(list) => {
                let list = beside(path, list);
                Names::read(&nodes, &text(&list, MOST_NAMES_BYTES, read)?)
                    .map_err(|source| FabricError::Names { path: list, source: Box::new(source) })?
            }
        };
        Ok((file, names))
    }

    fn file_through(path: &Path, read: Read<'_>) -> Result<FabricFile, FabricError> {
        if path.is_dir() {
            let found = Recognised::at(path);
            return Err(FabricError::Directory { path: path.to_owned(), found });
        }
        let text = text(path, MOST_FABRIC_FILE_BYTES, read)?;
        Ok(FabricFile::parse(&text, &path.display().to_string())?)
    }

    /// The file that says where the cables are: the cable list, or without one `path`, the fabric file.
    pub fn wiring_path(&self, path: &Path) -> PathBuf {
        match &self.file.wiring {
            Wiring::Arrangement(_) => path.to_owned(),
            Wiring::Cables(list) => beside(path, list),
        }
    }
}

/// An error in a cable list, with the names of the parts that it is about.
fn in_list(
    path: PathBuf,
    source: CableListError,
    (df, names): (&Dragonfly, &Names),
) -> FabricError {
    let CableListError::LocalLinks(refused) = source else {
        return FabricError::Cables { path, source: Box::new(source) };
    };
    let [low, high] = refused.switches(df).map(|switch| names.switch(switch));
    match low.zip(high) {
        Some((low, high)) => {
            let names = format!("{low} and {high}");
            FabricError::LocalLink { path, source: refused, names }
        }
        None => FabricError::Cables { path, source: Box::new(source) },
    }
}

/// A path in a fabric file is relative to the file's own directory.
fn beside(fabric_file: &Path, list: &Path) -> PathBuf {
    fabric_file.parent().unwrap_or(Path::new("")).join(list)
}

/// Reads a file of at most so many bytes.
type Read<'r> = &'r dyn Fn(&Path, u64) -> io::Result<Vec<u8>>;

/// Reads a fabric file, which may be a pipe, and the files that it names, which may not.
fn given(fabric_file: &Path) -> impl Fn(&Path, u64) -> io::Result<Vec<u8>> {
    move |path, most| {
        if path == fabric_file {
            input_file::read_given(path, most)
        } else {
            input_file::read(path, most, Symlinks::Follow)
        }
    }
}

fn text(path: &Path, most: u64, read: Read<'_>) -> Result<String, FabricError> {
    let bytes =
        read(path, most).map_err(|source| FabricError::Io { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        FabricError::NotText { path: path.to_owned(), offset, found: error.as_bytes()[offset] }
    })
}
