import { listVariableSets } from '../../../../../shared/client/variable-sets.ts';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { VariableSetName } from '../variable-set-name.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';
import { scopeOf, VariableSetDialog } from './variable-set-dialog.tsx';

/** Lists the variable sets of an organization. */
export const VariableSetsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-manage-varsets');
  return (
    <ResourceList
      title="Variable sets"
      frame={Page}
      request={(page) => listVariableSets(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="There are no variable sets"
      columns={() => ({
        name: {
          cell: (set) => (
            <>
              <span className="cluster">
                <VariableSetName variableSet={set} />
              </span>
              {set.attributes.description && <div className="muted">{toVisible(set.attributes.description)}</div>}
            </>
          ),
        },
        global: { name: 'Applies to', cell: scopeOf },
        'var-count': { name: 'Variables', isNumber: true },
        // Shown with the name.
        description: false,
        priority: false,
        // Parts of what the set applies to.
        'workspace-count': false,
        'project-count': false,
        'created-at': false,
        'updated-at': false,
        permissions: false,
      })}
      add={{
        label: 'New variable set',
        disabledReason: missing,
        dialog: (onClose) => <VariableSetDialog onClose={onClose} />,
      }}
    />
  );
};
