"""What `clientgen explain` and `clientgen docs` show of a generated package.

A package is read from the text of its modules and never imported, nor is a module with the user's
own types: `modules` finds and parses them, `annotations` and `type_reader` read classes,
`client_reader` reads the methods of clients. What is read are `records`. `package_reader` puts them
together, and reads a module when somebody asks for something in it.

    names       kubectl's names: `po`, `pods.spec.containers`, `deployments.v1.apps`
    terminal    the text that `clientgen explain` prints
    site/       the pages that `clientgen docs` writes

Parsing has two reasons. Python does not keep the strings below fields, so that only the source has
them. And a package of somebody else is no reason to run its code.

Whatever a package says is foreign text: `site.html` escapes it, `terminal` shows no control
characters, and the names of files are made by `site.file_names`.
"""
