import type { ReactNode } from 'react';
import { isPlainObject } from '../../../../../shared/client/compare.ts';
import { firstIncluded } from '../../../../../shared/client/documents.ts';
import type { Workspace } from '../../../../../shared/client/types.ts';
import { hasState } from '../../../../../shared/client/workspaces.ts';
import { showWorkspace } from '../../api/workspaces.ts';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { SettingsSections } from '../../components/settings-form.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { formatValue } from '../../lib/compare.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { NOT_REPORTED, toLabel } from '../../lib/words.ts';
import { NamedLink } from '../named-link.tsx';
import { DeleteSection } from './delete-section.tsx';
import { type InheritedFrom, type InheritedSetting, inheritedFrom } from './inherited-from.ts';
import { RetentionSection } from './retention-section.tsx';
import { GeneralSettings } from './settings-form.tsx';
import { SshKeySection } from './ssh-key-section.tsx';
import { TagsCard } from './tags-card.tsx';
import { useWorkspace } from './use-workspace.ts';

const titles = [
  'General',
  'Runs',
  'Repository',
  'Auto-destroy',
  'Remote state',
  'Tags',
  'SSH key',
  'Retention',
  'Delete',
  'All attributes',
];

/** Shows and changes the settings of a workspace, and where inherited values come from. */
export const SettingsPage = () => {
  const { workspace } = useWorkspace();
  // Another workspace gets forms of its own.
  return (
    <SettingsSections key={workspace.id} titles={titles}>
      <GeneralSettings />
      <TagsCard />
      <SshKeySection />
      <RetentionSection />
      <DeleteSection />
      <AllSettings />
    </SettingsSections>
  );
};

type Attributes = Workspace['attributes'];

/** Attributes and their members that are not listed. All others are. */
const hidden: readonly string[] = [
  'actions',
  'permissions',
  // Shown as the origin of each value.
  'setting-overwrites',
  // Shown by the overview.
  'tag-names',
  'locked',
  'locked-at',
  'locked-reason',
  'lock-expires-at',
  // Always null; the page on retention shows the policy in force.
  'effective-run-data-retention-desc',
  'effective-state-version-retention-desc',
  // They are the same for every workspace.
  'environment',
  'source',
  // Other names of attributes.
  'operations',
  'terraform-version',
  'vcs-repo-identifier',
  'workspace-kpis-runs-count',
  'display-identifier',
  'github-app-installation-id',
] satisfies (keyof Attributes | keyof NonNullable<Attributes['vcs-repo']>)[];

/** Flags that only concern workspaces with a repository. */
const ofRepository: readonly string[] = ['file-triggers-enabled', 'speculative-enabled'] satisfies (keyof Attributes)[];

/** Settings that a workspace can inherit: the attribute with the value, and the default that it comes from. */
const inheritable: Readonly<
  Record<keyof Attributes['setting-overwrites'], readonly [attribute: keyof Attributes, source: InheritedSetting]>
> = {
  'execution-mode': ['execution-mode', 'default-execution-mode'],
  'agent-pool': ['agent-pool-id', 'default-execution-mode'],
  'deletion-protection': ['deletion-protection', 'default-deletion-protection'],
};

const isShown = ([name]: readonly [string, unknown]): boolean => !hidden.includes(name);

const show = (name: string, value: unknown): ReactNode => {
  if (name === 'agent-pool-id' && typeof value === 'string') return <NamedLink type="agent-pools" id={value} />;
  if (/-at$/.test(name) && typeof value === 'string') return <Time value={value} isFull />;
  if (/-duration-average$/.test(name)) return typeof value === 'number' ? formatDuration(value) : NOT_REPORTED;
  return toVisible(formatValue(value, name));
};

const AllSettings = () => {
  const { organization, name, document, workspace } = useWorkspace();
  const { attributes } = workspace;
  const overwrites = attributes['setting-overwrites'];
  const project = firstIncluded(document, 'projects');
  const origins: Readonly<Record<string, InheritedFrom>> = {
    ...Object.fromEntries(
      Object.entries(inheritable)
        .filter(([name, [attribute]]) => !overwrites[name as keyof typeof overwrites] && attributes[attribute] !== null)
        .map(([, [attribute, source]]) => [attribute, inheritedFrom(document, source)] as const),
    ),
    ...(attributes['inherits-project-auto-destroy'] && {
      'auto-destroy-activity-duration': 'project',
    }),
  };
  const toFact = (attribute: string, value: unknown, label = toLabel(attribute)) =>
    [
      label,
      <span key={label} title={attribute}>
        {show(attribute, value)}
        {origins[attribute] !== undefined && (
          <span className="muted">
            {' (inherited from '}
            {origins[attribute] === 'project' && project !== undefined ? (
              <>
                the project <ResourceLink type="projects" id={project.id} name={project.attributes.name} />
              </>
            ) : (
              `the ${origins[attribute]}`
            )}
            )
          </span>
        )}
        {ofRepository.includes(attribute) && value === true && attributes['vcs-repo'] === null && (
          <span className="muted"> (without effect: there is no repository)</span>
        )}
      </span>,
    ] as const;
  return (
    <Section
      title="All attributes"
      actions={<OptionsMenu of="all attributes" requests={[showWorkspace(organization, name)]} />}
    >
      <details>
        <summary>Values of all attributes, and where inherited ones come from</summary>
        <Facts
          facts={[
            ...Object.entries(attributes)
              .filter(isShown)
              // Without a state, it is the time of the creation.
              .filter(([attribute]) => attribute !== 'latest-change-at' || hasState(workspace))
              .flatMap(([attribute, value]) =>
                isPlainObject(value)
                  ? Object.entries(value)
                      .filter(isShown)
                      .map(([member, part]) => toFact(member, part, `${toLabel(attribute)}: ${toLabel(member)}`))
                  : [toFact(attribute, value)],
              ),
          ]}
        />
      </details>
    </Section>
  );
};
