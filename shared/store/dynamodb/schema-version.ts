/** The schema version that writers stamp on items; readers know this one and the one before. */
export const SCHEMA_VERSION = 1;
