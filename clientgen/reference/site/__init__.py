"""The pages of `clientgen docs`: static HTML with a search that needs no server.

`site_builder` makes all files, `site_writer` writes them. Each type has a page; that of a kind has
the verbs of its client, too. `search_index` writes the names of everything into a script, as pages
that are opened from a folder can load scripts, but no other files.
"""
