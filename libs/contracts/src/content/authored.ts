import { IsInt, IsOptional, IsString } from 'class-validator';

/** Who made something and changed it last, and when: ms since the epoch. */
export class Authored {
  @IsInt()
  created!: number;

  @IsString()
  creator!: string;

  /** Absent as long as nobody changed it. */
  @IsOptional()
  @IsInt()
  updated?: number;

  @IsOptional()
  @IsString()
  updater?: string;
}
