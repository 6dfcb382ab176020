"""The `clientgen` command: arguments, progress, exit codes and the printing of problems."""
