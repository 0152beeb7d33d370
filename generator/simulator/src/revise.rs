//! Thresholds, candidates, gates and virtual channels other than those in the images, without writing new ones.
//!
//! The switch images are decoded, changed and encoded again in memory: the switches boot exactly what would have been
//! generated with these settings, so there is only one way to set them.

use crate::fabric::BootError;
use std::collections::BTreeMap;
use tvlb_firmware_model::Error;
use tvlb_schema::{
    Decision, FabricImage, MinCandidate, PerDecision, SetContents, SwitchContents, SwitchImage,
    VcScheme, encode_switch_image, shapes_by_number,
};
use tvlb_table_set::OpenWeighing;

/// The changes to make in the switch images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// How every decision weighs.
    pub weighing: OpenWeighing,
    /// How virtual channels are assigned.
    pub vc_scheme: Option<VcScheme>,
}

impl Revision {
    /// The switch images with these changes; `switches` holds the images by switch number.
    ///
    /// # Errors
    /// The first image that is wrong.
    pub fn apply(
        &self,
        fabric: &[u8],
        switches: &[impl AsRef<[u8]>],
    ) -> Result<Vec<Vec<u8>>, BootError> {
        let fabric = FabricImage::decode(fabric)
            .map_err(|error| BootError::Fabric(Error::FabricImage(error)))?;
        let revised = |(number, bytes): (u16, &[u8])| {
            let image = SwitchImage::decode(bytes, &fabric).map_err(|error| BootError::Switch {
                switch: tvlb_schema::SwitchId(number).into(),
                error: Error::SwitchImage(error),
            })?;
            Ok(encode_switch_image(&fabric, &self.contents(&image)))
        };
        let numbers = fabric.dragonfly().switches().map(|switch| switch.0);
        numbers.zip(switches.iter().map(AsRef::as_ref)).map(revised).collect()
    }

    fn contents(self, image: &SwitchImage<'_>) -> SwitchContents {
        let numbers = PerDecision {
            ugal_l: Decision::UgalL,
            par_source: Decision::ParSource,
            par_second: Decision::ParSecond,
        };
        // For each set that a decision uses, by its number in the image, its new number.
        let used: BTreeMap<usize, Decision> = Decision::ALL
            .into_iter()
            .map(|decision| (image.set_number(decision), decision))
            .collect();
        let decisions = numbers.map(|&decision| {
            let number = used.range(..image.set_number(decision)).count();
            let set = u8::try_from(number).expect("there are at most three sets");
            let (weighing, _) = self.weighing.over(*image.weighing(decision), MinCandidate::Kept);
            (set, weighing)
        });
        let df = image.fabric().dragonfly();
        let contents = |&decision: &Decision| {
            let view = image.set(decision);
            let shapes_to = shapes_by_number(df, view.rule(), |to| view.shapes_to(to));
            let levels = df.global_ports().map(|x| view.level(x)).collect();
            SetContents { rule: *view.rule(), levels, shapes_to }
        };
        SwitchContents {
            switch: image.switch(),
            virtual_channels: self.vc_scheme.unwrap_or(image.virtual_channels()),
            decisions,
            second_min: self.weighing.second_min.unwrap_or(image.second_min()),
            sets: used.values().map(contents).collect(),
            physical_numbers: image.physical_numbers().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;
    use crate::test_images::{Images, absolute_images};
    use tvlb_schema::{Candidates, Gate, Onward, Queue, ShapeSet, Weighing};

    #[test]
    fn only_what_is_asked_for_changes() {
        let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
        let none = Revision::default();
        assert_eq!(none.apply(&fabric, &switches).unwrap(), switches);
        let there = Revision {
            weighing: OpenWeighing {
                threshold: Some(-7),
                candidates: Candidates::new(2, 4),
                gate: Some(Gate::of_sixteenths(20)),
                queue: Some(Queue::Channel),
                onward: Some(Onward::Cheapest),
                second_min: Some(MinCandidate::Any),
            },
            vc_scheme: Some(VcScheme::Positional),
        };
        let revised = there.apply(&fabric, &switches).unwrap();
        let fabric_image = FabricImage::decode(&fabric).unwrap();
        for (bytes, original) in revised.iter().zip(&switches) {
            let image = SwitchImage::decode(bytes, &fabric_image).unwrap();
            assert_eq!(image.virtual_channels(), VcScheme::Positional);
            for decision in Decision::ALL {
                let Weighing { threshold, candidates, gate, queue, onward } =
                    *image.weighing(decision);
                assert_eq!((threshold, queue), (-7, Queue::Channel));
                assert_eq!(onward, Onward::Cheapest);
                assert_eq!((candidates.min(), candidates.vlb(), gate.sixteenths()), (2, 4, 20));
            }
            assert_eq!(image.second_min(), MinCandidate::Any);
            assert_ne!(bytes, original);
        }
        let back = Revision {
            weighing: OpenWeighing::closed(Weighing::default(), MinCandidate::Kept),
            vc_scheme: Some(VcScheme::Ordered),
        };
        assert_eq!(back.apply(&fabric, &revised).unwrap(), switches);
    }

    #[test]
    fn a_bad_image_is_named() {
        let Images { fabric, mut switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
        switches[5][30] ^= 1;
        let error = Revision::default().apply(&fabric, &switches).unwrap_err();
        assert!(error.to_string().starts_with("switch 5: switch image: checksum at byte "));
    }
}
