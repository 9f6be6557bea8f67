import { prefixes } from '../../../shared/domain/ids.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

/** Creates a run that has not begun to plan and therefore holds no lock. */
const newRun = ({ testbed, subject }: Trial): Promise<string> =>
  testbed.createOnce(`run of ${subject.id}`, async () => {
    const id = prefixes.run + base58(16);
    const event = runEvent(subject, id, 'plan_queued', 1);
    await testbed.api.ingest('run.updated', { ...event, organization: testbed.organization });
    return id;
  });
const newVersion = ({ testbed, subject }: Trial): Promise<string> =>
  testbed.createOnce(`version of ${subject.id}`, async () => {
    const id = prefixes.configurationVersion + base58(16);
    const event = configurationEvent(subject, id, 'uploaded', { 'ingress-attributes': { branch: 'main' } });
    await testbed.api.ingest('configuration-version.updated', { ...event, organization: testbed.organization });
    return id;
  });

/** Runs: callers that can read a workspace can read its runs and configuration versions (PERM-7). */
export const group = matrixGroup({
  name: 'runs',
  columns: {
    list: {
      routes: ['runs.list'],
      attempt: async (trial) => {
        await newRun(trial);
        await trial.send();
      },
    },
    show: {
      routes: ['runs.show'],
      attempt: async (trial) => {
        await trial.send({ parameters: { run_id: await newRun(trial) } });
      },
    },
    'show a configuration version': {
      routes: ['configuration-versions.show', 'configuration-versions.ingress-attributes'],
      attempt: async (trial) => {
        await trial.send({ parameters: { configuration_version_id: await newVersion(trial) } });
      },
    },
  },
  table: `
                    | list | show | configuration
    no access       | 404  | 404  | 404
    run with access | 200  | 200  | 200
    outsider        | 404  | 404  | 404
    no valid token  | 401  | 401  | 401
    anyone          | 200  | 200  | 200
  `,
});
