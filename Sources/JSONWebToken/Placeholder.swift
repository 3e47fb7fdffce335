// Holds the target's place.
