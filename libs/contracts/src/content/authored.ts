import { IsInt, IsOptional, IsString } from 'class-validator';

/** Creator and last updater of a resource, with the times in ms since the epoch. */
export class Authored {
  @IsInt()
  created!: number;

  @IsString()
  creator!: string;

  /** Absent until the first change. */
  @IsOptional()
  @IsInt()
  updated?: number;

  @IsOptional()
  @IsString()
  updater?: string;
}
