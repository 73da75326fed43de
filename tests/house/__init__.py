"""Rules about the project as a whole: across versions, folders and wordings."""
