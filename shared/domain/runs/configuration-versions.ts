import { limits } from '../limits.ts';
import {
  addMoment,
  type Described,
  laterDescription,
  latestMoment,
  listMoments,
  type Moment,
  type Timeline,
} from './timeline.ts';

/** Statuses of a configuration version in the order of its life cycle (RUN-7). */
export const configurationStatuses = ['pending', 'fetching', 'uploaded', 'errored', 'archived'] as const;
export type ConfigurationStatus = (typeof configurationStatuses)[number];

/** The commit that a configuration version was created from (RUN-7). */
export interface IngressAttributes {
  readonly branch: string | null;
  readonly cloneUrl: string | null;
  readonly commitMessage: string | null;
  readonly commitSha: string | null;
  readonly commitUrl: string | null;
  readonly compareUrl: string | null;
  readonly identifier: string | null;
  readonly isPullRequest: boolean;
  readonly onDefaultBranch: boolean;
  readonly pullRequestNumber: number | null;
  readonly pullRequestTitle: string | null;
  readonly pullRequestUrl: string | null;
  readonly senderUsername: string | null;
  readonly tag: string | null;
}

/** Attributes of a configuration version without its status. Each report contains all of them. */
export interface ConfigurationDescription {
  readonly source: string | null;
  readonly autoQueueRuns: boolean;
  readonly error: string | null;
  readonly errorMessage: string | null;
  /** Null if no commit is known. */
  readonly ingress: IngressAttributes | null;
}

/** A configuration version, merged from the reports of its runner. */
export interface ConfigurationVersion extends Described<ConfigurationStatus, ConfigurationDescription> {
  readonly id: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly timeline: Timeline<ConfigurationStatus>;
  /** Whether it is for plan-only runs only. It is false for good once a report says false. */
  readonly speculative: boolean;
  /** Whether its README.md is stored in the bucket. */
  readonly hasReadmeObject: boolean;
}

/** One report of a runner about a configuration version. */
export interface ConfigurationReport
  extends Moment<ConfigurationStatus>,
    Pick<ConfigurationVersion, 'id' | 'workspace' | 'createdAt' | 'speculative' | 'hasReadmeObject'> {
  readonly description: ConfigurationDescription;
  /** Content of README.md, if the report contains it. */
  readonly readme?: string | undefined;
}

/**
 * Merges a report into a configuration version. Repeated and old reports are allowed.
 * @param known undefined for the first report.
 */
export const withConfigurationReport = (
  known: ConfigurationVersion | undefined,
  { id, workspace, createdAt, speculative, hasReadmeObject, status, at, description }: ConfigurationReport,
): ConfigurationVersion => {
  const moment = { status, at };
  const reported = { description, described: moment };
  return {
    id,
    workspace,
    createdAt: Math.max(createdAt, known?.createdAt ?? createdAt),
    timeline: addMoment(known?.timeline ?? {}, moment),
    speculative: speculative && (known?.speculative ?? true),
    hasReadmeObject: hasReadmeObject || (known?.hasReadmeObject ?? false),
    ...(known === undefined ? reported : laterDescription(configurationStatuses, known, reported)),
  };
};

/** Returns the current status of a configuration version. */
export const configurationStatus = ({ timeline }: Pick<ConfigurationVersion, 'timeline'>): ConfigurationStatus =>
  (latestMoment(configurationStatuses, listMoments(timeline)) as Moment<ConfigurationStatus>).status;

/** Tells whether new runs can use a configuration version: it is uploaded and not for plan-only runs (RUN-7). */
export const isUsable = ({ timeline, speculative }: ConfigurationVersion): boolean =>
  timeline.uploaded !== undefined && !speculative;

const NOTE = '\n\n… The rest of this README.md is not shown: it is longer than 256 KB.\n';

/** Truncates a README.md to its first 256 KB and adds a note about the missing rest. */
export const cutReadme = (text: string): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= limits.readme) return text;
  // UTF-8 continuation bytes: the cut must not split a character.
  let end = limits.readme;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + NOTE;
};
