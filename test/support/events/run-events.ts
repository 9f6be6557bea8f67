import { expect } from 'vitest';
import { type Bench, ORGANIZATION } from '../matrix/matrix-bench.ts';

/** What runners tell of workspaces of the bench's organization. */

interface Subject {
  readonly id: string;
}

/** A moment of the world in which runs happen, by its seconds. */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

export const runEvent = (
  { id: workspace }: Subject,
  id: string,
  status: string,
  seconds: number,
  more: object = {},
) => ({
  organization: ORGANIZATION,
  workspace,
  run: { id, status, at: at(seconds), 'created-at': at(0), 'plan-only': false, ...more },
});

export const configurationEvent = ({ id: workspace }: Subject, id: string, status: string, more: object = {}) => ({
  organization: ORGANIZATION,
  workspace,
  'configuration-version': {
    id,
    status,
    at: at(status === 'pending' ? 0 : 1),
    'created-at': at(0),
    speculative: false,
    ...more,
  },
});

/** A run that has not begun to plan, and so holds no lock, with a token. @returns its token. */
export const runToken = async (bench: Bench, workspace: Subject, run: string): Promise<string> => {
  const { token, sha256 } = await bench.admin('new-run-token', {});
  await bench.api.ingest('run.updated', runEvent(workspace, run, 'plan_queued', 1, { 'token-sha256': sha256 }));
  expect(bench.api.deadLetters.received()).toEqual([]);
  return token;
};
