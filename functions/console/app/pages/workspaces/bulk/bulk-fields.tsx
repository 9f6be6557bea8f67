import { useQuery } from '@tanstack/react-query';
import { organizationTagsQuery, projectsQuery } from '../../../api/organizations.ts';
import { CheckboxField, SelectField, TextField } from '../../../components/form.tsx';
import type { BulkActionName, BulkInput } from './actions.ts';

interface BulkFieldsProps {
  readonly name: BulkActionName;
  readonly organization: string;
  readonly input: BulkInput;
  readonly onChange: (input: BulkInput) => void;
}

/** Shows the fields of an action on several workspaces. */
export const BulkFields = ({ name, organization, input, onChange }: BulkFieldsProps) => {
  const projects = useQuery({ ...projectsQuery(organization), enabled: name === 'move' });
  const tags = useQuery({ ...organizationTagsQuery(organization), enabled: name === 'tag' || name === 'untag' });
  const set = (changes: Partial<BulkInput>) => onChange({ ...input, ...changes });
  switch (name) {
    case 'tag':
    case 'untag':
      return (
        <TextField
          name="tags"
          label="Tags"
          hint={
            name === 'tag'
              ? 'Write name or key=value, separated by commas. Existing keys get the new value.'
              : 'Names of tags without a value, separated by commas.'
          }
          value={input.tags}
          suggestions={(tags.data?.document.data ?? []).map(({ attributes }) => attributes.name)}
          onChange={(value) => set({ tags: value })}
          autoFocus
        />
      );
    case 'move':
      return (
        <SelectField
          name="project"
          label="Project"
          hint="Moved workspaces inherit the settings of the project."
          value={input.project}
          options={[
            { value: '', label: projects.isPending ? 'Loading' : 'Choose a project' },
            ...(projects.data?.document.data ?? []).map(({ id, attributes }) => ({
              value: id,
              label: attributes.name,
            })),
          ]}
          onChange={(project) => set({ project })}
        />
      );
    case 'version':
      return (
        <TextField
          name="infra-version"
          label="Tool version"
          hint="An exact version, a constraint such as ~> 1.9.0, or latest."
          value={input.version}
          onChange={(version) => set({ version })}
          isCode
          autoFocus
        />
      );
    case 'mode':
      return (
        <SelectField
          name="execution-mode"
          label="Execution mode"
          value={input.mode}
          options={[
            { value: 'remote', label: 'Remote' },
            { value: 'local', label: 'Local: only stores state' },
            { value: 'inherit', label: 'As the project or the organization' },
          ]}
          onChange={(mode) => set({ mode })}
        />
      );
    case 'protect':
      return (
        <SelectField
          name="deletion-protection"
          label="Deletion protection"
          value={input.protection}
          options={[
            { value: 'true', label: 'Protected' },
            { value: 'false', label: 'Not protected' },
            { value: 'inherit', label: 'As the project or the organization' },
          ]}
          onChange={(protection) => set({ protection })}
        />
      );
    case 'lock':
      return (
        <TextField
          name="reason"
          label="Reason"
          hint="Everybody who can see the workspaces reads it."
          isOptional
          value={input.reason}
          onChange={(reason) => set({ reason })}
          autoFocus
        />
      );
    case 'unlock':
      return (
        <>
          <CheckboxField
            name="force"
            label="Also release locks of others"
            hint="Their holders lose the lock, even in the middle of a change."
            isChecked={input.isForced}
            onChange={(isForced) => set({ isForced })}
          />
          {input.isForced && (
            <TextField
              name="reason"
              label="Reason"
              hint="The history of each workspace shows it."
              value={input.reason}
              onChange={(reason) => set({ reason })}
            />
          )}
        </>
      );
  }
};
