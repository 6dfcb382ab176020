"""The model classes of API objects, and the codec that reads and writes them as JSON."""
