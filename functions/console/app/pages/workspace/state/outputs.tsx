import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listOutputs } from '../../../../../../shared/client/state-versions.ts';
import { apiQuery } from '../../../api/query-client.ts';
import { Badge } from '../../../components/badge.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { toVisible } from '../../../components/visible-text.tsx';
import './outputs.css';

interface OutputsProps {
  /** Id of the state version. */
  readonly version: string;
  /** Largest number of outputs that are shown; all by default. */
  readonly limit?: number;
  /** Shows what is below the table if it has not all outputs. @param count number of all outputs */
  readonly children?: (count: number) => ReactNode;
}

/** Lists the outputs of a state version. */
export const Outputs = ({ version, limit = Number.POSITIVE_INFINITY, children }: OutputsProps) => {
  const outputs = useQuery(apiQuery(listOutputs(version)));
  return (
    <Loaded query={outputs}>
      {({ document: { data } }) =>
        data.length === 0 ? (
          <p className="muted">none</p>
        ) : (
          <>
            <DataTable
              label="Outputs"
              rows={data.slice(0, limit)}
              rowKey={({ id }) => id}
              columns={[
                { name: 'Name', cell: ({ attributes }) => <code>{toVisible(attributes.name)}</code> },
                { name: 'Type', cell: ({ attributes }) => attributes.type ?? 'unknown' },
                {
                  name: 'Value',
                  cell: ({ attributes }) =>
                    attributes.sensitive ? (
                      <Badge>sensitive</Badge>
                    ) : (
                      <code className="output-value">
                        {toVisible(
                          typeof attributes.value === 'string' ? attributes.value : JSON.stringify(attributes.value),
                        )}
                      </code>
                    ),
                },
              ]}
            />
            {data.length > limit && children?.(data.length)}
          </>
        )
      }
    </Loaded>
  );
};
