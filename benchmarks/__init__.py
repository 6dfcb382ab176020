"""What clientgen costs, beside bare libraries and other clients: `python -m benchmarks`."""
