/** Largest state in bytes (STATE-7). A larger one would be discarded after its upload. */
export const LARGEST_STATE = 100 * 2 ** 20;

/** The parts of a state that say which one it is. */
export interface StateIdentity {
  readonly serial: number;
  readonly lineage: string | null;
  /** All members of the file. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Reads a state, which may be encrypted by tofu. @returns a sentence about what is wrong with it if it is no complete state. */
export const readState = (content: Buffer): StateIdentity | string => {
  if (content.length > LARGEST_STATE) return 'The state is larger than 100 MiB.';
  let members: Readonly<Record<string, unknown>> | null;
  try {
    members = JSON.parse(content.toString());
  } catch {
    return `The state is not complete JSON (${content.length} bytes).`;
  }
  const { serial, lineage = null } = members ?? {};
  const isLineage = lineage === null || typeof lineage === 'string';
  if (!Number.isSafeInteger(serial) || (serial as number) < 0 || !isLineage) {
    return 'This is not a state: it has no serial and lineage.';
  }
  return { serial: serial as number, lineage, members: members ?? {} };
};
