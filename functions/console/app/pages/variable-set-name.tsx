import type { VariableSet } from '../../../../shared/client/types.ts';
import { Badge } from '../components/badge.tsx';
import { ResourceLink } from '../components/resource-link.tsx';
import { toVisible } from '../components/visible-text.tsx';

interface VariableSetNameProps {
  readonly variableSet: Pick<VariableSet, 'id' | 'attributes'>;
}

/**
 * Shows the name of a variable set and whether it has priority. The name is a link for callers who may read the variable set
 * itself: readers of a workspace see all variable sets that apply to it (PERM-20).
 */
export const VariableSetName = ({ variableSet: { id, attributes } }: VariableSetNameProps) => {
  const { name, priority, permissions } = attributes;
  return (
    <>
      {permissions['can-read'] ? <ResourceLink type="varsets" id={id} name={name} /> : toVisible(name)}
      {priority && (
        <>
          {' '}
          <Badge kind="info">priority</Badge>
        </>
      )}
    </>
  );
};
