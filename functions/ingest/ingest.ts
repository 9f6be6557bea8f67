import { readmeKey } from '../../shared/blob/blob-keys.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isExact } from '../../shared/domain/infra-versions/versions.ts';
import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import type { DeadLetters } from '../../shared/events/dead-letters.ts';
import type { IncomingType, OperationRequest } from '../../shared/events/schemas/incoming.ts';
import { RUNNER } from '../../shared/events/sources.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import { errorOf } from '../../shared/schemas/error-messages.ts';
import type { RunReports } from '../../shared/store/runs/run-reports.ts';
import { incoming } from '../../shared/validators/compiled/incoming.js';
import { configurationReportOf, runReportOf } from './reports.ts';

export interface Dependencies extends RunReports {
  readonly publishRelease: (version: string) => Promise<void>;
  /** The text of a README.md in the bucket, as much of it as is kept; undefined where there is none. */
  readonly readReadme: (workspace: string, configurationVersion: string) => Promise<string | undefined>;
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
}

/** An event as a rule of the bus hands it on. */
interface BusEvent {
  readonly id: string;
  readonly type: IncomingType;
  readonly detail: unknown;
}

const malformed = (problem: string): DomainError => new DomainError('unprocessable', problem);

/** @throws DomainError unless it is an event of a runner, of a type that there is. */
const readEnvelope = (event: unknown): BusEvent => {
  const { id, source, 'detail-type': type, detail } = Object(event) as Record<string, unknown>;
  if (source !== RUNNER) throw malformed(`Its source is not ${RUNNER}.`);
  if (typeof id !== 'string' || id === '') throw malformed('It has no id.');
  if (typeof type !== 'string' || !Object.hasOwn(incoming, type)) {
    throw malformed(`Its detail-type is none of: ${Object.keys(incoming).join(', ')}.`);
  }
  return { id, type: type as IncomingType, detail };
};

/** What is wrong with a detail by its schema, and where. */
const validated = ({ type, detail }: BusEvent): unknown => {
  const validate = incoming[type];
  if (validate(detail)) return detail;
  const [complaint] = validate.errors ?? [];
  if (complaint === undefined) throw malformed('It is not as its schema says.');
  throw malformed(`${errorOf(complaint).detail} (${complaint.instancePath || '/'}).`);
};

type Handlers = {
  readonly [T in IncomingType]: (
    dependencies: Dependencies,
    detail: OperationRequest<T>,
    eventId: string,
  ) => Promise<void>;
};

/** The README.md that an event brings, or says to be in the bucket. */
const readmeOf = async (
  { readReadme }: Pick<Dependencies, 'readReadme'>,
  workspace: string,
  { id, readme, 'readme-object': isObject }: OperationRequest<'configuration-version.updated'>['configuration-version'],
): Promise<string | undefined> => {
  if (readme !== undefined || !isObject) return readme;
  const text = await readReadme(workspace, id);
  if (text === undefined) throw malformed(`There is no object ${readmeKey(workspace, id)}.`);
  return text;
};

/** What each type of event does. Each is one transaction: it is applied whole or not at all. */
const handlers: Handlers = {
  'run.updated': async ({ reportRun }, { organization, workspace, run }, id) => {
    const { id: runId } = run;
    const principal = { kind: 'run', id: runId, name: runId, organization, workspace } as const;
    await reportRun(organization, runReportOf(workspace, run), { id, principal });
  },

  'configuration-version.updated': async (dependencies, { organization, workspace, ...detail }, id) => {
    const told = detail['configuration-version'];
    const report = configurationReportOf(workspace, told, await readmeOf(dependencies, workspace, told));
    const request: RequestContext = { id, principal: { kind: 'service', id: 'ingest', name: 'ingest' } };
    await dependencies.reportConfiguration(organization, report, request);
  },

  'release.published': async ({ publishRelease }, { version }) => {
    if (!isExact(version)) throw malformed(`${version} is no full version such as 1.15.2.`);
    await publishRelease(version);
  },
};

/**
 * Takes in what runners tell over the bus. What can never be right goes to the dead-letter queue with the reason; what
 * may succeed later is thrown, and Lambda tries again. Whatever comes twice, late or in another order comes to the same.
 */
export const ingest =
  (dependencies: Dependencies) =>
  async (event: unknown): Promise<void> => {
    try {
      const envelope = readEnvelope(event);
      const handle = handlers[envelope.type] as Handlers['release.published'];
      await handle(dependencies, validated(envelope) as OperationRequest<'release.published'>, envelope.id);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'unavailable') throw error;
      const reason = error.detail ?? error.message;
      await dependencies.deadLetters({ reason, event });
      dependencies.logger.warn(messages.EVENT_REJECTED, { eventId: String(Object(event)['id']), reason });
    }
  };
