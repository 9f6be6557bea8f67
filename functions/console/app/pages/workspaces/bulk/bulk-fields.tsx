import { useQuery } from '@tanstack/react-query';
import { listVariableSets } from '../../../../../../shared/client/variable-sets.ts';
import { projectsQuery } from '../../../api/organizations.ts';
import { allPagesQuery } from '../../../api/query-client.ts';
import { bindFields, CheckboxField, SelectField, TextField, toOptions } from '../../../components/form.tsx';
import { categoryLabel, modeLabels } from '../../../lib/words.ts';
import { TagsField } from '../tags-field.tsx';
import type { BulkActionName, BulkInput } from './actions.ts';

const INHERITED = 'Inherited from the project or the organization';

/** The mode `agent` needs an agent pool. */
const { agent: _, ...modesWithoutPool } = modeLabels;

interface BulkFieldsProps {
  readonly name: BulkActionName;
  readonly organization: string;
  readonly input: BulkInput;
  readonly onChange: (input: BulkInput) => void;
}

/** Shows the fields of an action on several workspaces. */
export const BulkFields = ({ name, organization, input, onChange }: BulkFieldsProps) => {
  const projects = useQuery({ ...projectsQuery(organization), enabled: name === 'move' });
  const sets = useQuery({
    ...allPagesQuery((page) => listVariableSets(organization, page)),
    enabled: name === 'set' || name === 'no-set',
  });
  const { field, flag } = bindFields(input, (changes) => onChange({ ...input, ...changes }));
  switch (name) {
    case 'tag':
    case 'untag':
      return (
        <TagsField
          {...field('tags')}
          organization={organization}
          hint={
            name === 'tag'
              ? 'Write name or key=value, separated by commas. Existing keys get the new value.'
              : 'Names of tags without a value, separated by commas.'
          }
          autoFocus
        />
      );
    case 'move':
      return (
        <SelectField
          {...field('project')}
          label="Project"
          hint="Moved workspaces inherit the settings of the project."
          options={[
            { value: '', label: projects.isPending ? 'Loading' : 'Choose a project' },
            ...(projects.data?.document.data ?? []).map(({ id, attributes }) => ({
              value: id,
              label: attributes.name,
            })),
          ]}
        />
      );
    case 'version':
      return (
        <TextField
          {...field('version')}
          name="infra-version"
          label="Tool version"
          hint="An exact version, a constraint such as ~> 1.9.0, or latest."
          isCode
          autoFocus
        />
      );
    case 'mode':
      return (
        <SelectField
          {...field('mode')}
          name="execution-mode"
          label="Execution mode"
          options={toOptions({ ...modesWithoutPool, inherit: INHERITED })}
        />
      );
    case 'protect':
      return (
        <SelectField
          {...field('protection')}
          name="deletion-protection"
          label="Deletion protection"
          options={toOptions({ true: 'On', false: 'Off', inherit: INHERITED })}
        />
      );
    case 'variable':
    case 'no-variable':
      return (
        <>
          <TextField {...field('key')} label="Key" isCode autoFocus />
          <SelectField
            {...field('category')}
            label="Category"
            options={toOptions({ terraform: categoryLabel('terraform'), env: categoryLabel('env') })}
          />
          {name === 'variable' && (
            <>
              <TextField
                {...field('value')}
                label="Value"
                hint="Everyone who may read the variables can read it. Sensitive values are set in each workspace, or in a variable set."
                isCode
                lines={3}
              />
              {input.category !== 'env' && <CheckboxField {...flag('isHcl')} name="hcl" label="The value is HCL" />}
            </>
          )}
        </>
      );
    case 'set':
    case 'no-set':
      return (
        <SelectField
          {...field('variableSet')}
          name="variable-set"
          label="Variable set"
          options={[
            { value: '', label: sets.isPending ? 'Loading' : 'Choose a variable set' },
            ...(sets.data ?? []).flatMap(({ data }) =>
              data.map(({ id, attributes }) => ({ value: id, label: attributes.name })),
            ),
          ]}
        />
      );
    case 'delete':
      return null;
    case 'lock':
      return (
        <TextField
          {...field('reason')}
          label="Reason"
          hint="Everyone who can see the workspaces can read it."
          isOptional
          autoFocus
        />
      );
    case 'unlock':
      return (
        <>
          <CheckboxField
            {...flag('isForced')}
            label="Also release locks of others"
            hint="Their holders lose the lock, even in the middle of a change."
          />
          {input.isForced && (
            <TextField {...field('reason')} label="Reason" hint="The history of each workspace shows it." isRequired />
          )}
        </>
      );
  }
};
