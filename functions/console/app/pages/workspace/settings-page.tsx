import { hasState } from '../../api/workspaces.ts';
import { Facts, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { formatValue } from '../../lib/compare.ts';
import { toLabel } from '../../lib/words.ts';
import { DeleteSection } from './delete-section.tsx';
import { inheritedFrom } from './inherited-from.ts';
import { SettingsForm } from './settings-form.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Shows and changes the settings of a workspace, and where inherited values come from. */
export const SettingsPage = () => {
  const { workspace } = useWorkspace();
  // Another workspace gets forms of its own.
  return (
    <div className="stack settings" key={workspace.id}>
      <SettingsForm />
      <AllSettings />
      <DeleteSection />
    </div>
  );
};

const shownElsewhere = [
  'actions',
  'permissions',
  'setting-overwrites',
  'tag-names',
  'locked',
  'locked-at',
  'locked-reason',
  'lock-expires-at',
  // They are the same for every workspace.
  'environment',
  'source',
  // Other names of attributes.
  'operations',
  'terraform-version',
  'vcs-repo-identifier',
  'workspace-kpis-runs-count',
];

const AllSettings = () => {
  const { document, workspace } = useWorkspace();
  const { attributes } = workspace;
  const overwrites = attributes['setting-overwrites'];
  const origins: Readonly<Record<string, string>> = {
    ...(!overwrites['execution-mode'] && { 'execution-mode': inheritedFrom(document, 'default-execution-mode') }),
    ...(!overwrites['agent-pool'] && { 'agent-pool-id': inheritedFrom(document, 'default-execution-mode') }),
    ...(!overwrites['deletion-protection'] && {
      'deletion-protection': inheritedFrom(document, 'default-deletion-protection'),
    }),
    ...(attributes['inherits-project-auto-destroy'] && { 'auto-destroy-activity-duration': 'the project' }),
  };
  const hidden = hasState(workspace) ? shownElsewhere : [...shownElsewhere, 'latest-change-at'];
  const shown = Object.entries(attributes).filter(([name]) => !hidden.includes(name));
  return (
    <Section title="All attributes">
      <Facts
        facts={shown.map(([name, value]) => [
          toLabel(name),
          <span key={name} title={name}>
            {/-at$/.test(name) && typeof value === 'string' ? (
              <Time value={value} isFull />
            ) : (
              toVisible(formatValue(value, name))
            )}
            {origins[name] !== undefined && <span className="muted"> (inherited from {toVisible(origins[name])})</span>}
          </span>,
        ])}
      />
    </Section>
  );
};
