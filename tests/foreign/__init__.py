"""What others made, tried against clientgen: run by scripts/foreign, never by CI."""
