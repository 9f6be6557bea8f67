import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { listProjectAccess, listProjects, type TeamProject } from '../../../../../shared/client/projects.ts';
import type { Team } from '../../../../../shared/client/teams.ts';
import type { Project } from '../../../../../shared/client/types.ts';
import { allPagesQuery } from '../../api/query-client.ts';
import { sendPatiently } from '../../api/send.ts';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Notice } from '../../components/notice.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { accessByOrganization, projectLevels } from '../../lib/access-levels.ts';
import { type Progress, runAll } from '../../lib/run-all.ts';
import { useOrganizationName } from './use-organization.ts';

/** Largest size of a page of the API. */
const PAGE_SIZE = 100;

interface TeamProjectsDialogProps {
  readonly team: Team;
  readonly onClose: () => void;
}

/** Shows the projects to which a team has access, and what it may do in the whole organization. */
export const TeamProjectsDialog = ({ team, onClose }: TeamProjectsDialogProps) => {
  const organization = useOrganizationName();
  const request = (page: number) => listProjects(organization, page, PAGE_SIZE);
  const projects = useQuery(allPagesQuery(request));
  const everywhere = accessByOrganization(team.attributes['organization-access']);
  return (
    <Dialog title={`Access of “${team.attributes.name}”`} size="medium" onClose={onClose}>
      <DialogBody>
        <div className="cluster cluster-end">
          <Curl requests={[request(1)]} />
        </div>
        {everywhere !== undefined && (
          <p>
            To all workspaces, by a right in the organization: <strong>{everywhere.access}</strong>
          </p>
        )}
        <Loaded query={projects}>
          {(pages) => <TeamProjects team={team.id} projects={pages.flatMap(({ data }) => data)} />}
        </Loaded>
        <p className="muted">Access to a workspace alone is not listed here: its tab “Team access” shows it.</p>
      </DialogBody>
    </Dialog>
  );
};

interface Found {
  readonly project: Project;
  readonly access: TeamProject['attributes']['access'];
}

const findAccess = async (project: string, team: string): Promise<TeamProject | undefined> => {
  for (let page = 1; ; page += 1) {
    const { data, meta } = (await sendPatiently(listProjectAccess(project, page, PAGE_SIZE))).document;
    const found = data.find(({ relationships }) => relationships.team.data.id === team);
    if (found !== undefined || page >= meta.pagination['total-pages']) return found;
  }
};

const TeamProjects = ({ team, projects }: { readonly team: string; readonly projects: readonly Project[] }) => {
  const organization = useOrganizationName();
  const [progress, setProgress] = useState<Progress>();
  const [found, setFound] = useState<readonly Found[]>([]);
  const [unread, setUnread] = useState(0);
  // The list is read once: a refresh of it in the background does not start the search again.
  const [candidates] = useState(() => projects.filter(({ attributes }) => attributes['team-count'] > 0));
  useEffect(() => {
    let isStopped = false;
    const [matches, failed]: [Found[], string[]] = [[], []];
    const check = async (project: Project) => {
      try {
        const access = (await findAccess(project.id, team))?.attributes.access;
        if (access !== undefined) matches.push({ project, access });
      } catch {
        failed.push(project.id);
      }
    };
    const show = (done: Progress) => {
      if (isStopped) return;
      setProgress(done);
      setFound(matches.toSorted((a, b) => a.project.attributes.name.localeCompare(b.project.attributes.name)));
      setUnread(failed.length);
    };
    void runAll(candidates, check, () => isStopped, show);
    return () => {
      isStopped = true;
    };
  }, [candidates, team]);
  const isDone = progress !== undefined && progress.done === progress.total;
  return (
    <>
      {progress !== undefined && !isDone && <ProgressBar label="Reading the access to projects" {...progress} />}
      {unread > 0 && (
        <Notice kind="warning" title={`The access to ${unread.toLocaleString()} projects could not be read`} />
      )}
      {found.length > 0 ? (
        <DataTable
          label="Access to projects"
          rows={found}
          rowKey={({ project }) => project.id}
          columns={[
            {
              name: 'Project',
              cell: ({ project }) => (
                <Link to="/$organization/workspaces" params={{ organization }} search={{ project: project.id }}>
                  {toVisible(project.attributes.name)}
                </Link>
              ),
            },
            {
              name: 'Access',
              cell: ({ access }) => projectLevels[access],
            },
          ]}
        />
      ) : (
        isDone && <EmptyState title="You see no project to which the team was given access" />
      )}
    </>
  );
};
