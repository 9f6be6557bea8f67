import {
  addMoment,
  type Described,
  laterDescription,
  latestMoment,
  listMoments,
  type Moment,
  type Timeline,
} from './timeline.ts';

/** The configurations that runs work with, as their runner reports them: in any order, late and repeated. */

/** In the order of its life (RUN-7). */
export const configurationStatuses = ['pending', 'fetching', 'uploaded', 'errored', 'archived'] as const;
export type ConfigurationStatus = (typeof configurationStatuses)[number];

/** The commit that a configuration was made from (RUN-7). */
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

/** What is said of a configuration beside its status: each report says all of it. */
export interface ConfigurationDescription {
  readonly source: string | null;
  readonly autoQueueRuns: boolean;
  readonly error: string | null;
  readonly errorMessage: string | null;
  /** Null where no commit is known. */
  readonly ingress: IngressAttributes | null;
}

export interface ConfigurationVersion extends Described<ConfigurationStatus, ConfigurationDescription> {
  readonly id: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly timeline: Timeline<ConfigurationStatus>;
  /** For plan-only runs alone. Once said not to be so, it is not. */
  readonly speculative: boolean;
  /** Whether its README.md lies in the bucket as well. */
  readonly hasReadmeObject: boolean;
}

export interface ConfigurationReport
  extends Moment<ConfigurationStatus>,
    Pick<ConfigurationVersion, 'id' | 'workspace' | 'createdAt' | 'speculative' | 'hasReadmeObject'> {
  readonly description: ConfigurationDescription;
  /** The text of its README.md, where the report brings one. */
  readonly readme?: string | undefined;
}

/** A configuration version with one more report, which may be one that it has already, or an old one. */
export const withConfigurationReport = (
  known: ConfigurationVersion | undefined,
  { id, workspace, createdAt, speculative, hasReadmeObject, status, at, description }: ConfigurationReport,
): ConfigurationVersion => {
  const moment = { status, at };
  const told = { description, described: moment };
  return {
    id,
    workspace,
    createdAt: Math.max(createdAt, known?.createdAt ?? createdAt),
    timeline: addMoment(known?.timeline ?? {}, moment),
    speculative: speculative && (known?.speculative ?? true),
    hasReadmeObject: hasReadmeObject || (known?.hasReadmeObject ?? false),
    ...(known === undefined ? told : laterDescription(configurationStatuses, known, told)),
  };
};

export const configurationStatus = ({ timeline }: Pick<ConfigurationVersion, 'timeline'>): ConfigurationStatus =>
  (latestMoment(configurationStatuses, listMoments(timeline)) as Moment<ConfigurationStatus>).status;

/** Whether it can be what new runs work with: its content has come, and it is not for plans alone (RUN-7). */
export const isUsable = ({ timeline, speculative }: ConfigurationVersion): boolean =>
  timeline.uploaded !== undefined && !speculative;
