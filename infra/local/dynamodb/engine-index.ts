import { DatabaseSync } from 'node:sqlite';

/**
 * Adds two SQLite indexes to the database file of the embedded engine. Without them, the engine reads all records of a
 * stream to find the number of the next one, so each write takes longer than the one before. The engine does not depend
 * on the indexes. A file with another schema is left unchanged, with a warning.
 */
export const indexStreams = (database: string): void => {
  try {
    const file = new DatabaseSync(database, { timeout: 2_000 });
    try {
      file.exec(
        'CREATE INDEX IF NOT EXISTS holdfast_numbers ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
      );
      file.exec(
        'CREATE INDEX IF NOT EXISTS holdfast_shards ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER))',
      );
    } finally {
      file.close();
    }
  } catch (error) {
    process.emitWarning(
      `Writes become slower with every record of a stream, because ${database} has no indexes: ${error}`,
    );
  }
};
