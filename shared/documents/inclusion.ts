import { atLeast, belongsTo, effectiveRights } from '../access/rights.ts';
import type { Caller, Organization, Project } from '../domain/directory/records.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import type { Relationship, Resource } from '../jsonapi/document.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import type { Services } from '../runtime/services.ts';
import type { Found, RecordReference } from '../store/directory/directory-reader.ts';
import type { responseSizeBudget } from './response-size-budget.ts';

/** What an inclusion is: a part of the answer that a request asks for beside the workspaces themselves. */

/** A workspace, who looks at it, and what that looks at it through. */
export interface Seen {
  readonly workspace: Workspace;
  readonly organization: Organization;
  /** What it passes on, and to whom it grants. */
  readonly project: Pick<Project, 'id' | 'access' | 'bindings' | 'defaultExecutionMode' | 'defaultAgentPool'>;
  readonly caller: Caller;
}

export type Presenting = Pick<Services, 'store' | 'features'>;

/** What a request asks to be included, and the URL that it came by. */
export interface Asked {
  readonly include: ReadonlySet<WorkspaceInclude>;
  readonly url: string;
}

/** What inclusions are made with: one for all of an answer. */
export interface Including extends Presenting {
  readonly room: Room;
  /** Of the service, without a path. */
  readonly origin: string;
}

/** Of what is read for an inclusion, all that one answer can hold. */
type Room = ReturnType<typeof responseSizeBudget>;

/** What one inclusion adds to the answer for one workspace. */
export interface Included {
  readonly resources: readonly Resource[];
  /** Relationships that are complete only where they are included. */
  readonly relationships?: Readonly<Record<string, Relationship>>;
}

export interface Inclusion {
  /** A record that it takes beside what showing the workspace has brought. */
  readonly needs?: (seen: Seen) => RecordReference | readonly RecordReference[] | undefined;
  readonly of: (seen: Seen, found: Found, including: Including) => Included | Promise<Included>;
}

/** A run sees what is of workspaces, and nothing of the organization around them. */
export const isMember = ({ caller, organization }: Seen): boolean => belongsTo(caller, organization);

/** A resource of a record, where it is there. */
export const of = <R>(record: R | undefined, resource: (record: R) => Resource): Included => ({
  resources: record === undefined ? [] : [resource(record)],
});

/** Resources and the relationship to them, which is a link alone where they are not included. */
export const related = (name: string, link: string, resources: readonly Resource[]): Included => ({
  resources,
  relationships: { [name]: { data: resources.map(({ type, id }) => ({ type, id })), links: { related: link } } },
});

/** Whoever sees a workspace may have been given less than its runs. */
export const mayReadRuns = ({ caller, organization, project, workspace }: Seen): boolean =>
  atLeast(effectiveRights(caller, organization, project, workspace), 'runs', 'read');
