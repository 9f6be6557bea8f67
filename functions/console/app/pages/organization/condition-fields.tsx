import { Button } from '../../components/button.tsx';
import { SelectField, TextField, toOptions } from '../../components/form.tsx';
import {
  claimProblem,
  type EnteredCondition,
  type EnteredConditions,
  type PlatformName,
  platforms,
  type readConditions,
} from '../../lib/pipeline-platforms.ts';

/** Kinds of conditions in words. */
const kinds: Readonly<Record<EnteredCondition['kind'], string>> = {
  equals: 'is one of these values',
  matches: 'matches the pattern',
};

interface ConditionFieldsProps {
  readonly platform: PlatformName;
  /** Conditions that follow from the entries, with their fields. */
  readonly read: ReturnType<typeof readConditions>;
  readonly value: EnteredConditions;
  readonly onChange: (value: EnteredConditions) => void;
}

/** Shows the fields for the conditions of a workload identity: those that its platform offers, and others. */
export const ConditionFields = ({ platform, read, value, onChange }: ConditionFieldsProps) => {
  const { claims } = platforms[platform];
  const { offered, others } = value;
  /** Returns the name with which errors of a condition are found, which name its position in the request. */
  const nameOf = (field: string | number): string => {
    const index = read.findIndex((one) => one.field === field);
    return index < 0 ? `empty-condition-${field}` : `conditions/${index}`;
  };
  const changeOther = (index: number, changes: Partial<EnteredCondition>) =>
    onChange({ offered, others: others.map((other, at) => (at === index ? { ...other, ...changes } : other)) });
  return (
    <fieldset className="stack">
      <legend>Which pipelines get a token</legend>
      <p className="muted">
        {claims.some(({ isId }) => isId)
          ? 'A token must meet all conditions. One of them has to be an ID: IDs never change, while a name can be given to somebody else after it was deleted or changed.'
          : 'A token must meet all conditions.'}
      </p>
      {claims.map((one) => {
        const { claim, label, hint } = one;
        return (
          <TextField
            key={claim}
            name={nameOf(claim)}
            label={label}
            hint={hint}
            problem={claimProblem(one, offered[claim])}
            isOptional={claims.length > 1}
            isCode
            value={offered[claim] ?? ''}
            onChange={(text) => onChange({ others, offered: { ...offered, [claim]: text } })}
          />
        );
      })}
      {others.map((other, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no identity but its place
        <fieldset key={index} className="stack stack-tight condition">
          <legend>Condition {index + 1}</legend>
          <TextField
            name={nameOf(index)}
            label="Claim"
            hint="A JSON pointer such as /sub."
            isCode
            value={other.claim}
            onChange={(claim) => changeOther(index, { claim })}
          />
          <SelectField
            name={`condition-kind-${index}`}
            label="Test"
            value={other.kind}
            options={toOptions(kinds)}
            onChange={(kind) => changeOther(index, { kind })}
          />
          <TextField
            name={`condition-text-${index}`}
            label={other.kind === 'equals' ? 'Values' : 'Pattern'}
            hint={
              other.kind === 'equals' ? 'Each in a line of its own.' : '* stands for any characters except / and :.'
            }
            isCode
            lines={other.kind === 'equals' ? 2 : 1}
            value={other.text}
            onChange={(text) => changeOther(index, { text })}
          />
          <div>
            <Button
              look="quiet-danger"
              aria-label={`Remove condition ${index + 1}`}
              onClick={() => onChange({ offered, others: others.toSpliced(index, 1) })}
            >
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() => onChange({ offered, others: [...others, { claim: '', kind: 'equals', text: '' }] })}
        >
          {claims.length === 0 ? 'Add condition' : 'Add another condition'}
        </Button>
      </div>
    </fieldset>
  );
};
