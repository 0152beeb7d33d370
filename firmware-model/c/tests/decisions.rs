//! Decision vectors: `firmware-model/golden/decisions.txt` says what comes of a call, for the tests of any
//! firmware, and so do `chosen.txt` and `chosen-run.txt` beside it, which `tvlb vectors` and `tvlb simulate` wrote. docs/reference/embedding.md describes their
//! lines. Here C and Rust are held to them; `UPDATE_GOLDEN=1` writes the first one.
#![cfg(not(miri))]

use std::convert::Infallible;
use std::ffi::c_void;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::ptr::null;
use tvlb_firmware_c::{
    TVLB_OK, tvlb_admit, tvlb_boot, tvlb_forward, tvlb_inputs, tvlb_install_faults,
    tvlb_look_onward, tvlb_ports, tvlb_reconsider, tvlb_setup, tvlb_step, tvlb_switch,
};
use tvlb_firmware_model::rand_core::{Rng, SeedableRng, TryRng};
use tvlb_firmware_model::{
    ByChannel, Channels, Credits, DefaultRng, Header, Scheme, Step, Switch, VlbPaths,
};
use tvlb_schema::{End, NodeId, Port, SwitchId};

const FILE: &str = "firmware-model/golden/decisions.txt";
const CHOSEN: &str = "firmware-model/golden/chosen.txt";
/// What a switch of those tables decides in a run that `tvlb simulate` made.
const RUN: &str = "firmware-model/golden/chosen-run.txt";
/// Fabric and switch images: a plain fabric, one with several candidates and a gate, groups of two kinds, and switches
/// that look onward by the credits of channels, where one link joins two groups and where four do.
const IMAGES: [(&str, &str); 6] = [
    ("schema/golden/v3/fabric.tvlb", "schema/golden/v3/switch-00005.tvlb"),
    ("schema/golden/v3/fabric.tvlb", "schema/golden/v3/switch-00005-thinned.tvlb"),
    (
        "firmware-model/bare-metal/images/fabric.tvlb",
        "firmware-model/bare-metal/images/switch-00003-several.tvlb",
    ),
    ("schema/golden/v3-kinds/fabric.tvlb", "schema/golden/v3-kinds/switch-00004.tvlb"),
    ("schema/golden/v3/fabric.tvlb", "schema/golden/v3/switch-00005-onward.tvlb"),
    (
        "firmware-model/bare-metal/images/fabric.tvlb",
        "firmware-model/bare-metal/images/switch-00004-onward.tvlb",
    ),
];
/// The channels that a switch counts one by one whose image asks for that: those of PAR on local links.
const CHANNELS: usize = 5;
/// How a switch is booted where no line says it: for PAR and all paths, on more channels than are needed.
const ANY: [u8; 4] = [3, 0, 7, 7];
/// Headers besides those that the switch has written: of no kind, out of range, astray.
const ODD: [u64; 3] = [3, 0xffff_0000_0000_0000, 14 << 48 | 2 << 28 | 5 << 5 | 1];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(repository().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Random words that are given out in their order, and how many were taken.
struct Words {
    all: Vec<u32>,
    taken: usize,
}

impl Words {
    fn next(&mut self) -> u32 {
        let word = self.all.get(self.taken).copied().unwrap_or_default();
        self.taken += 1;
        word
    }
}

impl TryRng for Words {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.next());
        Ok(low | u64::from(self.next()) << 32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(4) {
            let word = self.next().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

unsafe extern "C" fn next_word(context: *mut c_void) -> u32 {
    // SAFETY: the context of every call here is a `Words` that nothing else uses meanwhile.
    unsafe { &mut *context.cast::<Words>() }.next()
}

/// What the lines before a call have set.
struct Setting {
    c: Box<tvlb_switch>,
    /// What the last admission chose.
    choice: u8,
    credits: Vec<u32>,
    /// How many of the credits a port has; 0 if one, for all its channels.
    channels: usize,
}

/// The credits of a line, as Rust takes them.
struct OfLine<'a>(&'a Setting);

impl Credits for OfLine<'_> {
    fn used(&self, port: Port) -> u32 {
        match self.0.by_channel() {
            Some(by_channel) => by_channel.used(port),
            None => self.0.credits.as_slice().used(port),
        }
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        self.0.by_channel()?.used_on(port, virtual_channel)
    }
}

impl Setting {
    fn of(fabric: &[u8], image: &[u8], [scheme, paths, local, global]: [u8; 4]) -> Self {
        let mut c = Box::new(tvlb_switch::zeroed());
        let mut ports = 0;
        // SAFETY: the images are used no longer than they live, and the switch and the number live.
        let code = unsafe {
            let (fabric, of) = (fabric.as_ptr(), fabric.len());
            let code = tvlb_boot(
                &raw mut *c,
                &tvlb_setup::of(
                    (fabric, of),
                    (image.as_ptr(), image.len()),
                    (scheme, paths),
                    (local, global),
                ),
            );
            tvlb_ports(&raw const *c, &raw mut ports);
            code
        };
        assert_eq!(code, TVLB_OK);
        Self { c, choice: 0, credits: vec![0; ports as usize], channels: 0 }
    }

    /// From now on a port has so many credits; all are 0.
    fn count_channels(&mut self, channels: usize) {
        let ports = self.credits.len() / self.channels.max(1);
        self.credits = vec![0; ports * channels.max(1)];
        self.channels = channels;
    }

    fn by_channel(&self) -> Option<ByChannel<'_>> {
        let channels = u8::try_from(self.channels).expect("a port has few channels");
        (channels > 0).then_some(ByChannel { counters: &self.credits, channels })
    }

    fn inputs(&mut self, words: &mut Words) -> tvlb_inputs {
        tvlb_inputs {
            credits: self.credits.as_mut_ptr(),
            credit_count: self.credits.len() / self.channels.max(1),
            channels: self.channels,
            random: Some(next_word),
            context: (&raw mut *words).cast(),
            link_credits: null(),
        }
    }

    /// What comes of a call in C: its result in words.
    fn call(&mut self, call: &Call, words: &mut Words) -> String {
        let inputs = self.inputs(words);
        let mut step = tvlb_step::default();
        let (switch, step_at) = (&raw const *self.c, &raw mut step);
        let shown = |code: i32, step: &tvlb_step| match (code, step.deliver) {
            (TVLB_OK, 1) => format!("deliver {}", step.port),
            (TVLB_OK, _) => {
                format!("send {} {} {:016x}", step.port, step.virtual_channel, step.header)
            }
            (code, _) => format!("error {code}"),
        };
        // SAFETY: all that the calls are given lives and is used by nobody else.
        unsafe {
            match *call {
                Call::Admit(node, scheme, paths) => {
                    let code = tvlb_admit(switch, node, scheme, paths, &raw const inputs, step_at);
                    self.choice = step.choice;
                    shown(code, &step)
                }
                Call::Reconsider(mut header, paths) => {
                    let at = &raw mut header;
                    match tvlb_reconsider(switch, at, paths, &raw const inputs) {
                        TVLB_OK => format!("{header:016x}"),
                        code => format!("error {code}"),
                    }
                }
                Call::Onward(mut header) => {
                    match tvlb_look_onward(switch, &raw mut header, &raw const inputs) {
                        TVLB_OK => format!("{header:016x}"),
                        code => format!("error {code}"),
                    }
                }
                Call::Forward(header) => {
                    let code = tvlb_forward(switch, header, step_at);
                    shown(code, &step)
                }
            }
        }
    }

    /// The same of the datapath in Rust.
    fn call_rust(&self, switch: &Switch<'_>, call: &Call, words: &mut Words) -> String {
        let shown = |step: Step| match step {
            Step::Deliver { port } => format!("deliver {port}"),
            Step::Send { port, virtual_channel, header } => {
                format!("send {port} {virtual_channel} {:016x}", header.bits())
            }
        };
        let paths = |of| VlbPaths::from_code(of).expect("there are such paths");
        let scheme = |of| Scheme::from_code(of).expect("there is such a scheme");
        let credits = &OfLine(self);
        let result = match *call {
            Call::Admit(node, by, of) => switch
                .admit(NodeId(node), scheme(by), paths(of), credits, words)
                .map(|admission| shown(admission.step)),
            Call::Reconsider(header, of) => switch
                .reconsider(Header::from_bits(header), paths(of), credits, words)
                .map(|header| format!("{:016x}", header.bits())),
            Call::Onward(header) => switch
                .look_onward(Header::from_bits(header), switch.booted_for().0, credits)
                .map(|header| format!("{:016x}", header.bits())),
            Call::Forward(header) => switch.forward(Header::from_bits(header)).map(shown),
        };
        result.unwrap_or_else(|error| format!("error {}", error.code()))
    }
}

/// A call with its numbers, as the file gives them.
enum Call {
    Admit(u32, u8, u8),
    Reconsider(u64, u8),
    Onward(u64),
    Forward(u64),
}

impl Call {
    fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |at: usize| words[at].parse::<u8>().expect("a number");
        let header = || u64::from_str_radix(words[1], 16).expect("a header");
        match words[0] {
            "admit" => Self::Admit(words[1].parse().expect("a node"), number(2), number(3)),
            "reconsider" => Self::Reconsider(header(), number(2)),
            "onward" => Self::Onward(header()),
            "forward" => Self::Forward(header()),
            other => panic!("there is no call {other}"),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Admit(node, scheme, paths) => format!("admit {node} {scheme} {paths}"),
            Self::Reconsider(header, paths) => format!("reconsider {header:016x} {paths}"),
            Self::Onward(header) => format!("onward {header:016x}"),
            Self::Forward(header) => format!("forward {header:016x}"),
        }
    }
}

/// Headers of VLB packets that come to their intermediate group by a link of this switch, if it looks onward.
fn arriving(switch: &Switch<'_>) -> Vec<u64> {
    let (image, fabric) = (switch.image(), switch.image().fabric());
    let (df, group, own) = (fabric.dragonfly(), image.group(), image.index());
    let links: Vec<_> = df.global_ports().filter(|&port| df.split_port(port).0 == own).collect();
    let header = |turn: u32| {
        let to = SwitchId(u16::try_from(turn * 29 % df.switch_numbers()).ok()?);
        let (to_group, _) = df.place(to);
        let by = fabric.peer(End { group, port: links[turn as usize % links.len()] })?;
        if to_group == group || to_group == by.group {
            return None;
        }
        let between = fabric.links_between(group, to_group);
        let (y, _) = fabric.ends(between, turn / 3 % between.count());
        let detour =
            if turn.is_multiple_of(2) { df.split_port(y).0.0.into() } else { turn / 2 % df.a() };
        let way = u64::from(by.port.0) << 28 | u64::from(y.0) << 16 | u64::from(detour) << 8;
        Some(u64::from(to.0) << 48 | way | 3 << 5 | 2)
    };
    if switch.looks_onward(Scheme::Par) { (0..48).filter_map(header).collect() } else { Vec::new() }
}

/// Random credits below a number, and the line that says them.
fn draw_credits(setting: &mut Setting, rng: &mut DefaultRng, below: u32) -> String {
    setting.credits.fill_with(|| rng.next_u32() % below);
    let credits: Vec<String> = setting.credits.iter().map(u32::to_string).collect();
    format!("credits {}\n", credits.join(" "))
}

/// The file, made again.
fn made() -> String {
    let mut text =
        String::from("# What a switch decides: docs/reference/embedding.md describes the lines.\n");
    let mut rng = DefaultRng::seed_from_u64(1);
    for (fabric, image) in IMAGES {
        let (fabric_bytes, image_bytes) = (read(fabric), read(image));
        let mut setting = Setting::of(&fabric_bytes, &image_bytes, ANY);
        let switch = Switch::boot(&fabric_bytes, &image_bytes).expect("the images are good");
        let nodes = switch.image().fabric().dragonfly().node_numbers();
        writeln!(text, "images {fabric} {image}").expect("text can be written");
        let arriving = arriving(&switch);
        if !arriving.is_empty() {
            setting.count_channels(CHANNELS);
            writeln!(text, "channels {CHANNELS}").expect("text can be written");
        }
        for most in [0, 9] {
            text += &draw_credits(&mut setting, &mut rng, most + 1);
            let mut headers = ODD.to_vec();
            let mut add = |call: Call, setting: &mut Setting| {
                let all = (0..4096).map(|_| rng.next_u32()).collect();
                let mut words = Words { all, taken: 0 };
                let result = setting.call(&call, &mut words);
                let taken: Vec<String> =
                    words.all[..words.taken].iter().map(|word| format!("{word:08x}")).collect();
                let taken = taken.join(" ");
                let between =
                    if taken.is_empty() { "//".to_owned() } else { format!("/ {taken} /") };
                writeln!(text, "{} {between} {result}", call.text()).expect("text can be written");
                result
            };
            for turn in 0_u32..24 {
                let node = (turn * 37 + 5) % (nodes + 1);
                let [scheme, paths] =
                    [turn % 4, turn / 4 % 2].map(|of| u8::try_from(of).unwrap_or(0));
                let call = Call::Admit(node, scheme, paths);
                let result = add(call, &mut setting);
                if let Some((_, header)) =
                    result.rsplit_once(' ').filter(|_| result.starts_with("send"))
                {
                    headers.push(u64::from_str_radix(header, 16).expect("it is a header"));
                }
            }
            for header in headers {
                add(Call::Forward(header), &mut setting);
                add(Call::Reconsider(header, 1), &mut setting);
            }
            for &header in &arriving {
                let looked = add(Call::Onward(header), &mut setting);
                let looked = u64::from_str_radix(&looked, 16).expect("it is a header");
                add(Call::Forward(looked), &mut setting);
            }
        }
    }
    text
}

#[test]
fn c_and_rust_decide_as_the_files_say() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(repository().join(FILE), made()).expect("the file can be written");
    }
    for (file, least) in [(FILE, 400), (CHOSEN, 1000), (RUN, 299)] {
        let text = String::from_utf8(read(file)).expect("it is text");
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        // Each switch with the lines that set it up and those of its calls.
        let calls: usize = lines.chunk_by(|_, next| !next.starts_with("images ")).map(replay).sum();
        assert!(calls > least, "{file}: {calls}");
    }
}

/// Replays the lines of one switch; how many calls they have.
fn replay(lines: &[&str]) -> usize {
    let images = lines[0].strip_prefix("images ").and_then(|files| files.split_once(' '));
    let (fabric, image) = images.expect("the first line names two files");
    let (fabric, image) = (read(fabric), read(image));
    let faults = lines.iter().find_map(|line| line.strip_prefix("faults ")).map(read);
    let boot = |for_what: [u8; 4]| {
        let mut setting = Setting::of(&fabric, &image, for_what);
        let [scheme, paths, local, global] = for_what;
        let scheme = Scheme::from_code(scheme).expect("there is such a scheme");
        let paths = VlbPaths::from_code(paths).expect("there are such paths");
        let mut switch = Switch::boot(&fabric, &image)
            .and_then(|of| of.with_channels_for(scheme, paths, Channels { local, global }))
            .expect("the images are good");
        if let Some(faults) = &faults {
            switch.install_faults(faults).expect("the fault image is good");
            // SAFETY: the image lives as long as the switch is used.
            let code =
                unsafe { tvlb_install_faults(&raw mut *setting.c, faults.as_ptr(), faults.len()) };
            assert_eq!(code, TVLB_OK);
        }
        (setting, switch)
    };
    let (mut setting, mut switch) = boot(ANY);
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let mut calls = 0;
    for line in &lines[1..] {
        match line.split_once(' ').expect("a word, and what belongs to it") {
            ("faults", _) => {}
            ("boot", rest) => {
                let numbers: Vec<u8> =
                    rest.split(' ').map(|text| text.parse().expect("a number")).collect();
                (setting, switch) = boot(numbers.try_into().expect("four numbers"));
            }
            ("channels", count) => setting.count_channels(number(count) as usize),
            ("credits", counts) => setting.credits = counts.split(' ').map(number).collect(),
            ("choice", choice) => assert_eq!(u32::from(setting.choice), number(choice), "{line}"),
            _ => {
                replay_call(line, &mut setting, &switch);
                calls += 1;
            }
        }
    }
    calls
}

fn replay_call(line: &str, setting: &mut Setting, switch: &Switch<'_>) {
    let (call, rest) = line.split_once(" /").expect("the words follow");
    let (random, expected) = rest.rsplit_once("/ ").expect("the result follows");
    let word = |word: &str| u32::from_str_radix(word, 16).expect("a word");
    let all: Vec<u32> = random.split_whitespace().map(word).collect();
    let call = Call::parse(call);
    let mut words = Words { all: all.clone(), taken: 0 };
    assert_eq!(setting.call(&call, &mut words), expected, "in C: {line}");
    assert_eq!(words.taken, all.len(), "in C: {line}");
    let mut words = Words { all: all.clone(), taken: 0 };
    assert_eq!(setting.call_rust(switch, &call, &mut words), expected, "in Rust: {line}");
    assert_eq!(words.taken, all.len(), "in Rust: {line}");
}
