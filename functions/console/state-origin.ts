interface BucketAccess {
  readonly bucket: string;
  readonly region: string;
  /** Endpoint of S3 other than the one of AWS. */
  readonly endpoint?: URL;
  /** Origin of presigned URLs, if clients do not reach that endpoint. */
  readonly presignedOrigin?: string | undefined;
}

/** Determines the origin of presigned URLs, from which browsers download states. */
export const findStateOrigin = ({ bucket, region, endpoint, presignedOrigin }: BucketAccess): string =>
  presignedOrigin ??
  endpoint?.origin ??
  `https://${bucket}.s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
