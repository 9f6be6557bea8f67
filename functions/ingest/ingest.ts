import { readmeKey } from '../../shared/blob/blob-keys.ts';
import { isExact } from '../../shared/domain/infra-versions/versions.ts';
import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { consume, invalidEvent, validated } from '../../shared/events/consume.ts';
import type { DeadLetters } from '../../shared/events/dead-letters.ts';
import type { IncomingType, OperationRequest } from '../../shared/events/schemas/incoming.ts';
import { RUNNER } from '../../shared/events/sources.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import type { RunReports } from '../../shared/store/runs/run-reports.ts';
import { incoming } from '../../shared/validators/compiled/incoming.js';
import { configurationReportOf, runReportOf } from './reports.ts';

export interface IngestDependencies extends RunReports {
  readonly publishRelease: (version: string) => Promise<void>;
  /** Reads a README.md from the bucket, at most a little more than the allowed size; undefined if there is none. */
  readonly readReadme: (workspace: string, configurationVersion: string) => Promise<string | undefined>;
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
}

/** Event as a rule of the bus delivers it. */
interface BusEvent {
  readonly id: string;
  readonly type: IncomingType;
  readonly detail: unknown;
}

/** Reads the envelope of an event. @throws DomainError unless it is a runner event of a known type. */
const readEnvelope = (event: unknown): BusEvent => {
  const { id, source, 'detail-type': type, detail } = Object(event) as Record<string, unknown>;
  if (source !== RUNNER) throw invalidEvent(`Its source is not ${RUNNER}.`);
  if (typeof id !== 'string' || id === '') throw invalidEvent('It has no id.');
  if (typeof type !== 'string' || !Object.hasOwn(incoming, type)) {
    throw invalidEvent(`Its detail-type is none of: ${Object.keys(incoming).join(', ')}.`);
  }
  return { id, type: type as IncomingType, detail };
};

type Handlers = {
  readonly [T in IncomingType]: (
    dependencies: IngestDependencies,
    detail: OperationRequest<T>,
    eventId: string,
  ) => Promise<void>;
};

/** Returns the README.md of an event: its text in the event, or the object in the bucket that the event refers to. */
const readmeOf = async (
  { readReadme }: Pick<IngestDependencies, 'readReadme'>,
  workspace: string,
  { id, readme, 'readme-object': isObject }: OperationRequest<'configuration-version.updated'>['configuration-version'],
): Promise<string | undefined> => {
  if (readme !== undefined || !isObject) return readme;
  const text = await readReadme(workspace, id);
  if (text === undefined) throw invalidEvent(`There is no object ${readmeKey(workspace, id)}.`);
  return text;
};

/** Handlers by event type. Each is one transaction, which is applied completely or not at all. */
const handlers: Handlers = {
  'run.updated': async ({ reportRun }, { organization, workspace, run }, id) => {
    const { id: runId } = run;
    const principal = { kind: 'run', id: runId, name: runId, organization, workspace } as const;
    await reportRun(organization, runReportOf(workspace, run), { id, principal });
  },

  'configuration-version.updated': async (dependencies, { organization, workspace, ...detail }, id) => {
    const version = detail['configuration-version'];
    const report = configurationReportOf(workspace, version, await readmeOf(dependencies, workspace, version));
    const request: RequestContext = { id, principal: { kind: 'service', id: 'ingest', name: 'ingest' } };
    await dependencies.reportConfiguration(organization, report, request);
  },

  'release.published': async ({ publishRelease }, { version }) => {
    if (!isExact(version)) throw invalidEvent(`${version} is not a full version such as 1.15.2.`);
    await publishRelease(version);
  },
};

/**
 * Creates the handler of runner events. An invalid event goes to the dead-letter queue with the reason. A transient error
 * is thrown, and Lambda retries the event. Repeated, late and reordered events have the same result.
 */
export const ingest = (dependencies: IngestDependencies) => {
  const { deadLetters, logger } = dependencies;
  const handle = async (event: unknown): Promise<void> => {
    const { id, type, detail } = readEnvelope(event);
    const handler = handlers[type] as Handlers['release.published'];
    await handler(dependencies, validated(incoming[type], detail), id);
  };
  return consume(handle, deadLetters, (details) => logger.warn(messages.EVENT_REJECTED, details));
};
