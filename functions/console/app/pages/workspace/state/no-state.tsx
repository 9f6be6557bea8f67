import { EmptyState } from '../../../components/empty-state.tsx';
import { cloudBlock, isFoundByHost } from '../../../lib/terraform-examples.ts';
import { CliConfiguration, exportLine } from '../../cli-configuration.tsx';
import { useWorkspace } from '../use-workspace.ts';

/** Shows how the first state of a workspace is stored. */
export const NoState = () => {
  const { organization, name } = useWorkspace();
  const first = isFoundByHost() ? `terraform login ${window.location.host}` : exportLine;
  const code = `# First: ${first}\n${cloudBlock(organization, name)}`;
  return (
    <EmptyState title="There is no state yet" examples={[{ label: 'Terraform or OpenTofu', code }]}>
      <p className="muted">The first apply of this configuration stores it here.</p>
      {!isFoundByHost() && (
        <div className="empty-state-examples">
          <CliConfiguration />
        </div>
      )}
    </EmptyState>
  );
};
