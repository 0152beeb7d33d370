//! UGAL by the group in C: with what was told it decides as Rust does, and with nothing told as UGAL-L.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_NO_SUCH_NODE, TVLB_NOT_BOOTED, TVLB_OK, TVLB_WRONG_SCHEME, tvlb_admit,
    tvlb_admit_told, tvlb_boot, tvlb_inputs, tvlb_leaving_channel, tvlb_level, tvlb_setup,
    tvlb_step, tvlb_switch, tvlb_told,
};
use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
use tvlb_firmware_model::{DefaultRng, GroupQueues, Scheme, Step, Switch, VlbPaths};
use tvlb_schema::{GlobalPort, NodeId};

const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
const UGAL_L: u8 = 2;

unsafe extern "C" fn next_word(context: *mut c_void) -> u32 {
    // SAFETY: the context of every call here is a generator that nothing else uses meanwhile.
    unsafe { &mut *context.cast::<DefaultRng>() }.next_u32()
}

fn booted(scheme: u8) -> tvlb_switch {
    let mut switch = tvlb_switch::zeroed();
    let images = ((FABRIC.as_ptr(), FABRIC.len()), (SWITCH.as_ptr(), SWITCH.len()));
    let setup = tvlb_setup::of(images.0, images.1, (scheme, 1), (7, 7));
    // SAFETY: the images live for ever, and the switch is this function's.
    assert_eq!(unsafe { tvlb_boot(&raw mut switch, &raw const setup) }, TVLB_OK);
    switch
}

fn inputs_of(credits: &mut [u32], rng: &mut DefaultRng) -> tvlb_inputs {
    tvlb_inputs {
        credits: credits.as_mut_ptr(),
        credit_count: credits.len(),
        channels: 0,
        random: Some(next_word),
        context: (&raw mut *rng).cast(),
        link_credits: null(),
    }
}

#[test]
fn c_decides_as_rust_does() {
    let (c, rust) = (booted(UGAL_L), Switch::boot(FABRIC, SWITCH).expect("the images are good"));
    let mut words = DefaultRng::seed_from_u64(5);
    let (mut alone, mut differs) = (0, 0);
    for round in 0..2000_u32 {
        let mut credits: Vec<u32> = (0..7).map(|_| words.next_u32() % 12).collect();
        let own = credits.clone();
        let mut levels = [words.next_u32().to_le_bytes()[0], words.next_u32().to_le_bytes()[1]];
        let mut told = GroupQueues::<2>::new(32);
        for port in 0..8_u16 {
            let level = levels[usize::from(port / 4)] >> (port % 4 * 2) & 3;
            told.tell(GlobalPort(port), level);
        }
        let node = NodeId(round % 72);
        let seed = || DefaultRng::seed_from_u64(u64::from(round));
        let admit = |level_bytes, credits: &mut [u32], levels: &mut [u8; 2]| {
            let (mut rng, mut step) = (seed(), tvlb_step::default());
            let inputs = inputs_of(credits, &mut rng);
            let told = tvlb_told { levels: levels.as_mut_ptr(), level_bytes, buffer_flits: 32 };
            let (at, to) = (&raw const c, &raw mut step);
            // SAFETY: all that the calls are given lives and is used by nobody else.
            let code =
                unsafe { tvlb_admit_told(at, node.0, 1, &raw const inputs, &raw const told, to) };
            assert_eq!(code, TVLB_OK);
            step
        };
        let step = admit(2, &mut credits, &mut levels);
        let beside = told.beside(own.as_slice());
        let expected = rust
            .admit(node, Scheme::UgalL, VlbPaths::Custom, &beside, &mut seed())
            .expect("there is a path");
        match expected.step {
            Step::Deliver { port } => assert_eq!((step.deliver, step.port), (1, port.0)),
            Step::Send { port, virtual_channel, header } => {
                assert_eq!((step.port, step.virtual_channel), (port.0, virtual_channel));
                assert_eq!(step.header, header.bits());
            }
        }
        let (mut rng, mut plain) = (seed(), tvlb_step::default());
        let inputs = inputs_of(&mut credits, &mut rng);
        // SAFETY: as above.
        let code = unsafe {
            tvlb_admit(&raw const c, node.0, UGAL_L, 1, &raw const inputs, &raw mut plain)
        };
        assert_eq!(code, TVLB_OK);
        differs += u32::from(plain != step);
        alone += u32::from(plain == admit(0, &mut credits, &mut levels));
    }
    assert_eq!(alone, 2000);
    assert!(differs > 100, "{differs}");
    for (used, expected) in [(7, 0), (8, 1), (31, 3)] {
        assert_eq!(tvlb_level(used, 32), expected);
    }
}

#[test]
fn bad_calls_are_refused() {
    let (switch, blank) = (booted(UGAL_L), tvlb_switch::zeroed());
    let (mut credits, mut rng) = ([0; 7], DefaultRng::seed_from_u64(1));
    let inputs = inputs_of(&mut credits, &mut rng);
    let (with, mut step, mut channel) = (&raw const inputs, tvlb_step::default(), 9);
    let (at, to) = (&raw const switch, &raw mut step);
    let mut levels = [0_u8; 2];
    let told = tvlb_told { levels: levels.as_mut_ptr(), level_bytes: 2, buffer_flits: 32 };
    let nowhere = tvlb_told { levels: null(), ..told };
    // SAFETY: each pointer is null, misaligned or of what lives.
    unsafe {
        for code in [
            tvlb_admit_told(null(), 40, 1, with, &raw const told, to),
            tvlb_admit_told(at, 40, 1, null(), &raw const told, to),
            tvlb_admit_told(at, 40, 1, with, null(), to),
            tvlb_admit_told(at, 40, 1, with, &raw const nowhere, to),
            tvlb_admit_told(at, 40, 1, with, &raw const told, null_mut()),
            tvlb_admit_told(at, 40, 2, with, &raw const told, to),
            tvlb_leaving_channel(null(), &raw mut channel),
            tvlb_leaving_channel(at, null_mut()),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
        let blank = &raw const blank;
        assert_eq!(tvlb_admit_told(blank, 40, 1, with, &raw const told, to), TVLB_NOT_BOOTED);
        assert_eq!(tvlb_leaving_channel(blank, &raw mut channel), TVLB_NOT_BOOTED);
        // It was booted for the paths of its sets.
        assert_eq!(tvlb_admit_told(at, 40, 0, with, &raw const told, to), TVLB_WRONG_SCHEME);
        assert_eq!(tvlb_admit_told(at, 72, 1, with, &raw const told, to), TVLB_NO_SUCH_NODE);
        assert_eq!((step, channel), (tvlb_step::default(), 9));
        assert_eq!(tvlb_leaving_channel(at, &raw mut channel), TVLB_OK);
    }
    assert_eq!(channel, 0);
}
