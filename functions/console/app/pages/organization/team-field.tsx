import type { Schemas } from '../../../../../shared/client/types.ts';
import { SelectField } from '../../components/form.tsx';

interface TeamFieldProps {
  readonly name: string;
  readonly teams: readonly Schemas['Team'][];
  /** Id of the team; empty before one is chosen. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Shows a field for a team. None is chosen at first, so that nobody gives rights by a click too early. */
export const TeamField = ({ teams, ...field }: TeamFieldProps) => (
  <SelectField
    {...field}
    label="Team"
    options={[
      { value: '', label: 'Choose a team' },
      ...teams.map(({ id, attributes }) => ({ value: id, label: attributes.name })),
    ]}
  />
);
