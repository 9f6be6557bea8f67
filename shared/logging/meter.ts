/** Database usage of one request. A worker handles one request at a time, so it needs only one meter. */
export interface Reading {
  readonly calls: number;
  /** Number of sequential round trips to the database. */
  readonly rounds: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

interface Call {
  readonly round: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface Meter {
  readonly count: (call: Call) => void;
  /** Returns the usage since the last reset. */
  readonly read: () => Reading;
  readonly reset: () => void;
}

/** Creates a meter without any calls. */
export const createMeter = (): Meter => {
  let calls: Call[] = [];
  return {
    count: (call) => {
      calls.push(call);
    },
    read: () => ({
      calls: calls.length,
      rounds: new Set(calls.map(({ round }) => round)).size,
      readUnits: calls.reduce((sum, { readUnits }) => sum + readUnits, 0),
      writeUnits: calls.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
    }),
    reset: () => {
      calls = [];
    },
  };
};
