import { useQueries } from '@tanstack/react-query';
import type { WorkloadScope } from '../../../../../shared/client/workload-identities.ts';
import { projectQuery } from '../../api/projects.ts';
import { workspaceByIdQuery } from '../../api/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/form.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import './scope-field.css';
import { useCandidates } from '../use-candidates.ts';
import { useOrganizationName } from './use-organization.ts';

type Kind = keyof WorkloadScope;

/** Names of a project and a workspace that the user is entering. */
type EnteredNames = Readonly<Record<Kind, string>>;

export const noNames: EnteredNames = { projects: '', workspaces: '' };

/** Returns why a form cannot be submitted while a name is entered, but not yet in the list. */
export const unfinishedName = ({ projects, workspaces }: EnteredNames): string | undefined => {
  const name = projects.trim() || workspaces.trim();
  return name === '' ? undefined : `Add “${name}” to the list, or clear the field first.`;
};

interface ScopeFieldsProps {
  readonly scope: WorkloadScope;
  readonly onChange: (scope: WorkloadScope) => void;
  readonly names: EnteredNames;
  readonly onNamesChange: (names: EnteredNames) => void;
}

/** Shows the chosen projects and workspaces, with fields that add others by their names. */
export const ScopeFields = ({ scope, onChange, names, onNamesChange }: ScopeFieldsProps) =>
  (['projects', 'workspaces'] as const).map((kind) => (
    <ScopeField
      key={kind}
      kind={kind}
      ids={scope[kind]}
      onChange={(ids) => onChange({ ...scope, [kind]: ids })}
      name={names[kind]}
      onNameChange={(name) => onNamesChange({ ...names, [kind]: name })}
    />
  ));

interface ScopeFieldProps {
  readonly kind: Kind;
  /** Ids of the chosen projects or workspaces. */
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  /** Name that the user is entering. */
  readonly name: string;
  readonly onNameChange: (name: string) => void;
}

/** Returns the names of projects or workspaces by their ids. What the user may not read has its id as its name. */
const useNames = (kind: Kind, ids: readonly string[]): ReadonlyMap<string, string> => {
  const projects = useQueries({ queries: kind === 'projects' ? ids.map((id) => projectQuery(id)) : [] });
  const workspaces = useQueries({ queries: kind === 'workspaces' ? ids.map((id) => workspaceByIdQuery(id)) : [] });
  const found = kind === 'projects' ? projects : workspaces;
  return new Map(ids.map((id, index) => [id, found[index]?.data?.document.data.attributes.name ?? id]));
};

const labels = { projects: 'Project', workspaces: 'Workspace' } as const;

const ScopeField = ({ kind, ids, onChange, name, onNameChange }: ScopeFieldProps) => {
  const names = useNames(kind, ids);
  const candidates = useCandidates(kind, useOrganizationName(), name);
  const chosen = candidates.find(({ attributes }) => attributes.name === name.trim());
  const noun = labels[kind].toLowerCase();
  const add = () => {
    if (chosen === undefined) return;
    if (!ids.includes(chosen.id)) onChange([...ids, chosen.id]);
    onNameChange('');
  };
  return (
    <div className="stack stack-tight">
      <div className="field-row">
        <TextField
          name={kind}
          label={labels[kind]}
          isOptional
          value={name}
          onChange={onNameChange}
          suggestions={candidates.map(({ attributes }) => attributes.name)}
        />
        <div>
          <Button
            aria-label={`Add ${noun}`}
            disabledReason={chosen === undefined ? `Type the name of a ${noun} that you can see.` : undefined}
            onClick={add}
          >
            Add
          </Button>
        </div>
      </div>
      {ids.length > 0 && (
        <ul className="cluster" aria-label={`Chosen ${noun}s`}>
          {ids.map((id) => (
            <li key={id} className="scope-chosen">
              {toVisible(names.get(id))}
              <Button
                look="quiet"
                icon="close"
                label={`Remove the ${noun} ${names.get(id)}`}
                onClick={() => onChange(ids.filter((one) => one !== id))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
