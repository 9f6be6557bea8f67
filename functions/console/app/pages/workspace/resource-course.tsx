import { Link, linkOptions } from '@tanstack/react-router';
import { useState } from 'react';
import type { StateVersion } from '../../../../../shared/client/state-versions.ts';
import { Time } from '../../components/time.tsx';
import { moveFocus } from '../../lib/focus.ts';
import { formatCount } from '../../lib/words.ts';
import './resource-course.css';
import { unreadable } from './state/state-dialogs.tsx';
import { useWorkspace } from './use-workspace.ts';

interface Point {
  readonly version: StateVersion;
  readonly former: Point | undefined;
  readonly count: number;
}

/** Returns the state versions whose content was read, oldest first. */
const toPoints = (versions: readonly StateVersion[]): readonly Point[] => {
  const points: Point[] = [];
  for (const version of versions.toReversed()) {
    const count = version.attributes['resource-count'];
    if (count !== null && version.attributes.status !== 'discarded')
      points.push({ version, former: points.at(-1), count });
  }
  return points;
};

const describe = ({ count, former }: Point): string => {
  const resources = formatCount(count, 'resource');
  const change = count - (former?.count ?? count);
  if (change === 0) return resources;
  return `${resources}, ${Math.abs(change).toLocaleString()} ${change > 0 ? 'more' : 'fewer'} than before`;
};

/** Units of height of the chart. The rest is above the highest and below the lowest point, so that the line is not cut. */
const HEIGHT = 100;
const MARGIN = 6;

interface ResourceCourseProps {
  /** Newest first. */
  readonly versions: readonly StateVersion[];
}

/** Shows the number of resources of state versions as steps, the newest on the right. Each step leads to what it has changed. */
export const ResourceCourse = ({ versions }: ResourceCourseProps) => {
  const points = toPoints(versions);
  const [chosen, setChosen] = useState<string>();
  const [first, last] = [points[0], points.at(-1)];
  // One state version has no course.
  if (first === undefined || last === undefined || first === last) return null;
  const shown = points.find(({ version }) => version.id === chosen) ?? last;
  const highest = Math.max(1, ...points.map(({ count }) => count));
  const heightOf = (count: number) => MARGIN + (1 - count / highest) * (HEIGHT - 2 * MARGIN);
  const line = `M0 ${heightOf(first.count)}${points.map(({ count }, index) => `V${heightOf(count)}H${index + 1}`).join('')}`;
  return (
    <figure className="course">
      <figcaption className="course-heading">
        <h3>Last {points.length.toLocaleString()} state versions</h3>
        <p className="muted">
          Version {shown.version.attributes.serial}: {describe(shown)} ·{' '}
          <Time value={shown.version.attributes['created-at']} />
        </p>
      </figcaption>
      <div className="course-scale muted" aria-hidden="true">
        <span>{highest.toLocaleString()}</span>
        <span>0</span>
      </div>
      <div className="course-plot">
        <svg
          role="img"
          aria-label={`Number of resources of the last ${points.length} state versions: first ${first.count}, last ${last.count}, at most ${highest}.`}
          viewBox={`0 0 ${points.length} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <path className="course-area" d={`${line}V${HEIGHT}H0Z`} />
          <path className="course-line" d={line} vectorEffect="non-scaling-stroke" />
        </svg>
        <ol className="course-points">
          {points.map((point) => (
            <li key={point.version.id}>
              <PointLink
                point={point}
                isShown={point === shown}
                height={heightOf(point.count)}
                onShow={() => setChosen(point.version.id)}
              />
            </li>
          ))}
        </ol>
      </div>
      <div className="course-ends muted">
        <span>Version {first.version.attributes.serial}</span>
        <span>Version {last.version.attributes.serial}</span>
      </div>
    </figure>
  );
};

interface PointLinkProps {
  readonly point: Point;
  readonly isShown: boolean;
  /** Distance from the upper edge, in percent. */
  readonly height: number;
  readonly onShow: () => void;
}

/** Leads to the comparison of a state version with the former one, or to its page if there is none. */
const PointLink = ({ point, isShown, height, onShow }: PointLinkProps) => {
  const { organization, name } = useWorkspace();
  const { version, former } = point;
  const isComparable =
    former !== undefined && [version, former.version].every((each) => unreadable(each) === undefined);
  const params = { organization, workspace: name };
  const address = isComparable
    ? linkOptions({
        to: '/$organization/workspaces/$workspace/state',
        params,
        search: { older: former.version.id, newer: version.id },
      })
    : linkOptions({
        to: '/$organization/workspaces/$workspace/state/$version',
        params: { ...params, version: version.id },
      });
  return (
    <Link
      {...address}
      className="course-point"
      aria-label={`${isComparable ? 'Changes of version' : 'Version'} ${version.attributes.serial}: ${describe(point)}`}
      // One Tab stop: a stop for each version would make the way through the page long.
      tabIndex={isShown ? 0 : -1}
      onKeyDown={(event) => moveFocus(event, '.course-points')}
      onFocus={onShow}
      onMouseEnter={onShow}
    >
      {isShown && <span className="course-dot" style={{ insetBlockStart: `${height}%` }} />}
    </Link>
  );
};
