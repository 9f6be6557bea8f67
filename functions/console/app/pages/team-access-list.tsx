import { findIncluded } from '../../../../shared/client/documents.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Schemas } from '../../../../shared/client/types.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import type { AttributeColumns } from '../components/data-table.tsx';
import { Section } from '../components/page.tsx';
import { ResourceLink } from '../components/resource-link.tsx';
import { ResourceList, type RowAction } from '../components/resource-list.tsx';
import type { AccessLevels } from '../lib/access-levels.ts';
import type { AccessGroup } from '../lib/custom-access.ts';
import { type AccessInput, AddAccessDialog, EditAccessDialog } from './team-access-dialog.tsx';

/** Access of one team to a workspace or a project. */
interface TeamAccess<L extends string> {
  readonly id: string;
  readonly attributes: { readonly access: L };
  readonly relationships: { readonly team: { readonly data: { readonly id: string } } };
}

interface AccessDocument<R> {
  readonly data: readonly R[];
  readonly included?: readonly (Schemas['Team'] | { readonly type: 'workspaces' | 'projects'; readonly id: string })[];
  readonly meta: { readonly pagination: { readonly 'total-count': number } };
}

interface TeamAccessListProps<L extends string, R extends TeamAccess<L>> {
  readonly organization: string;
  /** Name of the workspace or the project. */
  readonly name: string;
  readonly levels: AccessLevels<L>;
  /** Parts of custom access. */
  readonly groups: readonly AccessGroup[];
  /** Paths below `/api/v2` whose cached data are out of date after a change. */
  readonly invalidates: readonly string[];
  /** Reason why the user cannot change the access. */
  readonly disabledReason: string | undefined;
  readonly emptyTitle: string;
  readonly description: string;
  /** Columns in addition to the team and its access. */
  readonly columns: AttributeColumns<R, 'access'>;
  readonly list: (page: number) => ApiRequest<AccessDocument<R>>;
  readonly add: (team: string, access: AccessInput<L>) => ApiRequest;
  readonly change: (id: string, access: Partial<AccessInput<L>>) => ApiRequest;
  readonly remove: (id: string) => ApiRequest;
}

interface AccessActions<L extends string>
  extends Pick<
    TeamAccessListProps<L, TeamAccess<L>>,
    'levels' | 'groups' | 'invalidates' | 'disabledReason' | 'change' | 'remove'
  > {
  /** Names of the team and of what it has access to, by the name of the row. */
  readonly teamOf: (name: string) => string;
  readonly targetOf: (name: string) => string;
}

/** Builds the actions on an access of a team: its edit and its removal. */
export const accessActions = <L extends string, R extends Omit<TeamAccess<L>, 'relationships'>>({
  disabledReason,
  change,
  remove,
  teamOf,
  targetOf,
  ...shared
}: AccessActions<L>): readonly RowAction<R>[] => [
  {
    label: 'Edit',
    disabledReason: () => disabledReason,
    dialog: ({ id, attributes }, onClose, name) => (
      <EditAccessDialog
        {...shared}
        team={teamOf(name)}
        present={attributes}
        request={(access) => change(id, access)}
        onClose={onClose}
      />
    ),
  },
  {
    label: 'Remove',
    isDangerous: true,
    disabledReason: () => disabledReason,
    dialog: ({ id }, onClose, name) => (
      <ConfirmDialog
        title={`Remove the access of “${teamOf(name)}”`}
        description={`Its members can use “${targetOf(name)}” only through other rights from then on.`}
        submitLabel="Remove"
        request={remove(id)}
        invalidates={shared.invalidates}
        message={`Removed the access of the team ${teamOf(name)}.`}
        onClose={onClose}
      />
    ),
  },
];

/** Lists which teams may use a workspace or a project, and changes it. */
export const TeamAccessList = <L extends string, R extends TeamAccess<L>>({
  organization,
  name,
  levels,
  groups,
  invalidates,
  disabledReason,
  emptyTitle,
  description,
  columns,
  list,
  add,
  change,
  remove,
}: TeamAccessListProps<L, R>) => (
  <ResourceList
    title="Team access"
    frame={Section}
    description={description}
    request={list}
    nameOf={({ relationships: { team } }, document) =>
      findIncluded(document, 'teams', team.data)?.attributes.name ?? team.data.id
    }
    emptyTitle={emptyTitle}
    columns={(_, nameOf) =>
      ({
        Team: {
          cell: (access: R) => (
            <ResourceLink type="teams" id={access.relationships.team.data.id} name={nameOf(access)} />
          ),
        },
        access: { cell: ({ attributes: { access } }: R) => levels[access] },
        ...columns,
      }) as AttributeColumns<R>
    }
    add={{
      label: 'Add team',
      disabledReason,
      dialog: (onClose) => (
        <AddAccessDialog
          title={`Add a team to “${name}”`}
          kind="team"
          organization={organization}
          levels={levels}
          groups={groups}
          request={add}
          invalidates={invalidates}
          onClose={onClose}
        />
      ),
    }}
    actions={accessActions<L, R>({
      levels,
      groups,
      invalidates,
      disabledReason,
      change,
      remove,
      teamOf: (team) => team,
      targetOf: () => name,
    })}
  />
);
