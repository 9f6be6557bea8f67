import { expect, it } from 'vitest';
import { findOthers, type VariableRow } from '../../../shared/client/variable-rows.ts';

const row = (id: string, category = 'env'): VariableRow =>
  ({
    variable: { id, attributes: { key: 'REGION', category } },
    variableSet: undefined,
    isInForce: true,
  }) as VariableRow;

it('the other definitions of a variable leave out the variable itself, also after the lists were loaded again', () => {
  const rows = [row('var-1'), row('var-2'), row('var-3', 'terraform')];
  expect(findOthers(rows, row('var-1')).map(({ variable }) => variable.id)).toEqual(['var-2']);
});
