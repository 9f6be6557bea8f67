import type { Workspace } from '../../../../../shared/client/types.ts';
import { Section } from '../../components/page.tsx';
import { formatCount } from '../../lib/words.ts';
import './consumers-page.css';

const [ROW, BOX, GAP, HEIGHT] = [36, 240, 160, 26];
/** Longest name that fits into a box, in characters. */
const LONGEST = 30;

const shorten = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

interface BoxProps {
  readonly x: number;
  /** Middle of the box. */
  readonly y: number;
  readonly name: string;
  /** The workspace whose page it is. */
  readonly isOwn?: boolean;
}

const Box = ({ x, y, name, isOwn = false }: BoxProps) => (
  <g className={isOwn ? 'consumer-graph-own' : undefined}>
    <title>{name}</title>
    <rect x={x + 0.5} y={y - HEIGHT / 2 + 0.5} width={BOX - 1} height={HEIGHT - 1} rx="4" />
    <text x={x + 10} y={y + 4}>
      {shorten(name)}
    </text>
  </g>
);

/** Draws a line from the right side of a box to the left side of another one. */
const Line = ({ from, to }: { readonly from: readonly [number, number]; readonly to: readonly [number, number] }) => {
  const middle = (from[0] + to[0]) / 2;
  const [x, y] = to;
  return (
    <>
      <path d={`M ${from[0]} ${from[1]} C ${middle} ${from[1]}, ${middle} ${y}, ${x} ${y}`} />
      <path d={`M ${x - 7} ${y - 4} L ${x} ${y} L ${x - 7} ${y + 4}`} />
    </>
  );
};

interface ConsumerGraphProps {
  readonly name: string;
  /** Workspaces whose state it reads, on the left. */
  readonly sources: readonly Workspace[];
  /** Workspaces that read its state, on the right. */
  readonly consumers: readonly Workspace[];
}

/** Draws a workspace between those whose state it reads and those that read its state, as the tables on the page list them. */
export const ConsumerGraph = ({ name, sources, consumers }: ConsumerGraphProps) => {
  const height = Math.max(1, consumers.length, sources.length) * ROW;
  const middle = height / 2;
  const left = sources.length > 0 ? BOX + GAP : 0;
  const right = left + BOX + GAP;
  const width = (consumers.length > 0 ? right : left) + BOX;
  const rowsOf = (workspaces: readonly Workspace[]) =>
    workspaces.map(({ id, attributes }, index) => ({
      id,
      name: attributes.name,
      y: middle + (index - (workspaces.length - 1) / 2) * ROW,
    }));
  const reads = sources.length > 0 ? ` It reads ${formatCount(sources.length, 'workspace')} on this page.` : '';
  return (
    <div className="consumer-graph">
      <Section
        title="Graph of the shared states"
        description={
          <>
            {sources.length > 0 && 'On the left: workspaces whose state this one may read. '}
            {consumers.length > 0 && 'On the right: workspaces that may read the state of this one. '}
            The arrows follow the state.
          </>
        }
      >
        <svg
          role="img"
          aria-label={`${name} is read by ${formatCount(consumers.length, 'workspace')} on this page.${reads}`}
          viewBox={`0 0 ${width} ${height}`}
          style={{ maxWidth: width }}
        >
          {rowsOf(sources).map((source) => (
            <g key={source.id}>
              <Line from={[BOX, source.y]} to={[left, middle]} />
              <Box x={0} y={source.y} name={source.name} />
            </g>
          ))}
          {rowsOf(consumers).map((consumer) => (
            <g key={consumer.id}>
              <Line from={[left + BOX, middle]} to={[right, consumer.y]} />
              <Box x={right} y={consumer.y} name={consumer.name} />
            </g>
          ))}
          <Box x={left} y={middle} name={name} isOwn />
        </svg>
      </Section>
    </div>
  );
};
