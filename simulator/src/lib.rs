//! A cycle simulator of Dragonfly networks whose switches boot from the images that ship.
