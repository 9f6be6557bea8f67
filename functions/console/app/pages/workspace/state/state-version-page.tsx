import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isNotFound } from '../../../../../../shared/client/errors.ts';
import {
  downloadState,
  listOutputs,
  type StateVersion,
  showStateVersion,
} from '../../../../../../shared/client/state-versions.ts';
import { stateVersionQuery } from '../../../api/state-versions.ts';
import { Button } from '../../../components/button.tsx';
import { CopyableId } from '../../../components/copy-button.tsx';
import { ImportedFrom } from '../../../components/imported-from.tsx';
import { ListMenu } from '../../../components/list-menu.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { OptionsMenu } from '../../../components/options-menu.tsx';
import { Facts, Section } from '../../../components/page.tsx';
import { Time } from '../../../components/time.tsx';
import { toVisible } from '../../../components/visible-text.tsx';
import { IfPermitted } from '../if-permitted.tsx';
import { useWorkspace } from '../use-workspace.ts';
import { NoState } from './no-state.tsx';
import { Outputs } from './outputs.tsx';
import { ReadResult, SavingDialog, useSaveState, useStateContent } from './state-content.tsx';
import { unreadable } from './state-dialogs.tsx';
import { Resources } from './state-resources.tsx';
import { useStateJob } from './use-state-job.ts';
import { Creator, formatSize, useCreatorNames, VersionBadges, VersionLink } from './version-parts.tsx';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace/state/$version');

/** Shows a version of the state of a workspace: its resources, its outputs, and where it comes from. */
export const StateVersionPage = () => (
  <IfPermitted permission="can-read-state-versions" name="the state">
    <ChosenVersion />
  </IfPermitted>
);

const ChosenVersion = () => {
  const { workspace } = useWorkspace();
  const { version } = route.useParams();
  const id = version === 'current' ? workspace.relationships['current-state-version'].data?.id : version;
  return id === undefined ? <NoState /> : <LoadedVersion id={id} />;
};

const LoadedVersion = ({ id }: { readonly id: string }) => {
  const { organization, name, workspace } = useWorkspace();
  const query = useQuery(stateVersionQuery(id));
  const isElsewhere = query.data && query.data.document.data.relationships.workspace.data?.id !== workspace.id;
  if (isNotFound(query.error) || isElsewhere) {
    return (
      <Section title="State version not found">
        <p>
          The workspace has no state version <code>{toVisible(id)}</code>. Continue with{' '}
          <Link to="/$organization/workspaces/$workspace/state" params={{ organization, workspace: name }}>
            all state versions
          </Link>
          .
        </p>
      </Section>
    );
  }
  return (
    <Loaded query={query}>
      {({ document: { data: version } }) => (
        <>
          <div className="page-above">
            <Link to="/$organization/workspaces/$workspace/state" params={{ organization, workspace: name }}>
              State versions
            </Link>{' '}
            / {version.attributes.serial}
          </div>
          <div className="page-columns">
            <div className="stack">
              <VersionResources version={version} />
              {version.attributes.status === 'finalized' && (
                <Section
                  title="Outputs"
                  description="Sensitive values are not shown here, but a downloaded version contains them."
                  actions={<ListMenu title="Outputs" request={listOutputs(version.id)} />}
                >
                  <Outputs version={version.id} />
                </Section>
              )}
            </div>
            <About version={version} />
          </div>
        </>
      )}
    </Loaded>
  );
};

interface VersionProps {
  readonly version: StateVersion;
}

const VersionResources = ({ version }: VersionProps) => {
  const { workspace } = useWorkspace();
  const { save, saving, error, stop } = useSaveState();
  const reason = unreadable(version);
  return (
    <Section
      title={`Resources of version ${version.attributes.serial}`}
      aside={<VersionBadges version={version} current={workspace.relationships['current-state-version'].data?.id} />}
      actions={
        <>
          <OptionsMenu of="the version" requests={[showStateVersion(version.id), downloadState(version.id)]} />
          {version.attributes.status === 'finalized' && (
            <Button isPending={saving !== undefined} onClick={() => save(version)}>
              Download
            </Button>
          )}
        </>
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {saving !== undefined && <SavingDialog saving={saving} onStop={stop} />}
      {reason === undefined ? <ReadResources version={version} /> : <p className="muted">{reason}</p>}
    </Section>
  );
};

/** Reads the resources from the content of a version. */
const ReadResources = ({ version }: VersionProps) => {
  const { organization, name } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const content = useStateContent(version);
  const result = useStateJob(content.data && [content.data]);
  return (
    <ReadResult
      contents={[content]}
      result={result}
      onStop={() =>
        navigate({ to: '/$organization/workspaces/$workspace/state', params: { organization, workspace: name } })
      }
    >
      {(found) =>
        'resources' in found && (
          <Resources
            resources={found.resources}
            search={search}
            onChange={(changed) => navigate({ search: changed, replace: true })}
          />
        )
      }
    </ReadResult>
  );
};

const About = ({ version }: VersionProps) => {
  const { attributes, relationships, id } = version;
  const { 'resource-count': count, 'terraform-version': tool, 'imported-from': source, size } = attributes;
  const names = useCreatorNames([version]);
  const original = relationships['rollback-state-version'].data;
  return (
    <Section title="About">
      <Facts
        facts={[
          ['Created', <Time key="created" value={attributes['created-at']} />],
          ['Created by', <Creator key="creator" version={version} names={names} />],
          ['Status', attributes.status.replaceAll('_', ' ')],
          ['Managed resources', count?.toLocaleString() ?? 'unknown'],
          ['Tool version', tool ?? 'unknown'],
          ['Size', formatSize(size)],
          ...(original === null
            ? []
            : [
                [
                  'Rollback to',
                  <VersionLink key="original" version={original.id}>
                    <code>{original.id}</code>
                  </VersionLink>,
                ] as const,
              ]),
          ...(source === null ? [] : [['Imported from', <ImportedFrom key="source" source={source} />] as const]),
          ['Lineage', attributes.lineage ?? 'unknown'],
          ['MD5', <code key="md5">{attributes.md5}</code>],
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
    </Section>
  );
};
