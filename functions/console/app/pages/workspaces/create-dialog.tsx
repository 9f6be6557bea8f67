import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createWorkspace } from '../../../../../shared/client/workspaces.ts';
import { organizationQuery, projectsQuery } from '../../api/organizations.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { toastOnNextPage } from '../../components/toast.tsx';
import { nameProblem } from '../../lib/names.ts';
import { splitList, splitTag } from './search.ts';
import { TagsField } from './tags-field.tsx';

/** Creates a workspace and opens it. */
export const CreateDialog = ({
  organization,
  onClose,
}: {
  readonly organization: string;
  readonly onClose: () => void;
}) => {
  const navigate = useNavigate();
  const projects = useQuery(projectsQuery(organization));
  const owner = useQuery(organizationQuery(organization));
  const defaultId = owner.data?.document.data.relationships['default-project'].data?.id;
  const list = projects.data?.document.data ?? [];
  const choices = list.filter(({ attributes }) => attributes.permissions['can-create-workspace']);
  const defaultProject = choices.find(({ id }) => id === defaultId);
  // Who may not use the default project chooses another one.
  const isChosen = projects.data !== undefined && owner.data !== undefined && defaultProject === undefined;
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [project, setProject] = useState('');
  const [tags, setTags] = useState('');
  const action = useAction({
    invalidates: [`/organizations/${organization}/workspaces`, `/organizations/${organization}/tags`],
    onDone: ({
      document,
    }: {
      readonly document: { readonly data: { readonly attributes: { readonly name: string } } };
    }) => {
      const workspace = document.data.attributes.name;
      toastOnNextPage(`Created the workspace ${workspace}.`);
      navigate({ to: '/$organization/workspaces/$workspace', params: { organization, workspace } });
    },
  });
  const attributes = { name, ...(description !== '' && { description }) };
  return (
    <ActionDialog
      title="New workspace"
      description="It gets the execution mode and the deletion protection of its project or organization, and the latest tool version. You can change them in its settings."
      submitLabel="Create"
      action={action}
      request={createWorkspace(organization, attributes, {
        project: project === '' ? undefined : project,
        tags: splitList(tags).map(splitTag),
      })}
      required={{ Name: name, ...(isChosen && { Project: project }) }}
      isInvalid={nameProblem(name) !== undefined}
      onClose={onClose}
    >
      <TextField
        name="name"
        label="Name"
        hint="Letters, numbers, - and _."
        value={name}
        problem={nameProblem(name)}
        onChange={setName}
        isCode
        autoFocus
      />
      <SelectField
        name="project"
        label="Project"
        value={project}
        options={[
          {
            value: '',
            label: isChosen
              ? 'Choose a project'
              : defaultProject === undefined
                ? 'The default project'
                : `${defaultProject.attributes.name} (default)`,
          },
          ...choices
            .filter((choice) => choice !== defaultProject)
            .map(({ id, attributes }) => ({ value: id, label: attributes.name })),
        ]}
        onChange={setProject}
      />
      <TagsField name="tag-bindings" organization={organization} value={tags} onChange={setTags} isOptional />
      <TextField
        name="description"
        label="Description"
        isOptional
        lines={3}
        value={description}
        onChange={setDescription}
      />
    </ActionDialog>
  );
};
