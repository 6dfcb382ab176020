"""From Python types to CustomResourceDefinition manifests: markers, schemas, files, comparisons."""
