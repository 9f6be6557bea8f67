import type { ReactNode } from 'react';
import type { Workspace } from '../../../../../shared/client/types.ts';
import { Notice } from '../../components/notice.tsx';
import { missingPermission, type UsedPermission } from '../../lib/permissions.ts';
import { useWorkspace } from './use-workspace.ts';

interface IfPermittedProps {
  readonly permission: Extract<keyof Workspace['attributes']['permissions'], UsedPermission>;
  /** Name of the content, such as "the runs". */
  readonly name: string;
  readonly children: ReactNode;
}

/** Shows the content of a page to users who have the permission for it, and to all others what they need. */
export const IfPermitted = ({ permission, name, children }: IfPermittedProps) => {
  const missing = missingPermission(useWorkspace().workspace.attributes.permissions, permission);
  if (missing === undefined) return children;
  return (
    <Notice kind="info" title={`You may not see ${name}`}>
      <p>{missing}</p>
    </Notice>
  );
};
