import { expect } from 'vitest';
import { ORGANIZATION, type OrganizationFixture } from '../api/organization-fixture.ts';

interface Subject {
  readonly id: string;
}

/** Formats the time that is a number of seconds after the start of 2026. */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

/** Creates the detail of a `run.updated` event. */
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

/** Creates the detail of a configuration version event. */
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

/** Creates a token of a run that has not begun to plan, and therefore holds no lock. */
export const runToken = async (fixture: OrganizationFixture, workspace: Subject, run: string): Promise<string> => {
  const { token, sha256 } = await fixture.admin('new-run-token', {});
  await fixture.api.ingest('run.updated', runEvent(workspace, run, 'plan_queued', 1, { 'token-sha256': sha256 }));
  expect(fixture.api.deadLetters.received()).toEqual([]);
  return token;
};
