0000000000001800 <vadd>:
	s_load_dword s0, s[4:5], 0x18 // 000000001800: C0020002 00000018
	v_lshl_add_u32 v0, s6, 8, v0 // 000000001808: D1FD0000 04011006
	s_waitcnt lgkmcnt(0) // 000000001810: BF8CC07F
	v_cmp_gt_u32_e32 vcc, s0, v0 // 000000001814: 7D980000
	s_and_saveexec_b64 s[0:1], vcc // 000000001818: BE80206A
	s_cbranch_execz L0 // 00000000181C: BF880019
	s_load_dwordx4 s[0:3], s[4:5], 0x0 // 000000001820: C00A0002 00000000
	s_load_dwordx2 s[6:7], s[4:5], 0x10 // 000000001828: C0060182 00000010
	v_mov_b32_e32 v1, 0 // 000000001830: 7E020280
	v_lshlrev_b64 v[0:1], 2, v[0:1] // 000000001834: D28F0000 00020082
	s_waitcnt lgkmcnt(0) // 00000000183C: BF8CC07F
	v_mov_b32_e32 v3, s3 // 000000001840: 7E060203
	v_add_co_u32_e32 v2, vcc, s2, v0 // 000000001844: 32040002
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc // 000000001848: 38060303
	v_mov_b32_e32 v5, s1 // 00000000184C: 7E0A0201
	v_add_co_u32_e32 v4, vcc, s0, v0 // 000000001850: 32080000
	v_addc_co_u32_e32 v5, vcc, v5, v1, vcc // 000000001854: 380A0305
	global_load_dword v6, v[4:5], off // 000000001858: DC508000 067F0004
	global_load_dword v7, v[2:3], off // 000000001860: DC508000 077F0002
	v_mov_b32_e32 v2, s7 // 000000001868: 7E040207
	v_add_co_u32_e32 v0, vcc, s6, v0 // 00000000186C: 32000006
	v_addc_co_u32_e32 v1, vcc, v2, v1, vcc // 000000001870: 38020302
	s_waitcnt vmcnt(0) // 000000001874: BF8C0F70
	v_add_f32_e32 v2, v6, v7 // 000000001878: 02040F06
	global_store_dword v[0:1], v2, off // 00000000187C: DC708000 007F0200
0000000000001884 <L0>:
	s_endpgm // 000000001884: BF810000
0000000000001900 <reduce>:
	s_load_dword s7, s[4:5], 0x10 // 000000001900: C00201C2 00000010
	s_load_dwordx4 s[0:3], s[4:5], 0x0 // 000000001908: C00A0002 00000000
	v_lshl_add_u32 v2, s6, 8, v0 // 000000001910: D1FD0002 04011006
	v_mov_b32_e32 v3, 0 // 000000001918: 7E060280
	s_waitcnt lgkmcnt(0) // 00000000191C: BF8CC07F
	v_cmp_gt_u32_e32 vcc, s7, v2 // 000000001920: 7D980407
	s_and_saveexec_b64 s[4:5], vcc // 000000001924: BE84206A
	s_cbranch_execz L0 // 000000001928: BF880008
	v_mov_b32_e32 v3, 0 // 00000000192C: 7E060280
	v_lshlrev_b64 v[2:3], 2, v[2:3] // 000000001930: D28F0002 00020482
	v_mov_b32_e32 v1, s1 // 000000001938: 7E020201
	v_add_co_u32_e32 v2, vcc, s0, v2 // 00000000193C: 32040400
	v_addc_co_u32_e32 v3, vcc, v1, v3, vcc // 000000001940: 38060701
	global_load_dword v3, v[2:3], off // 000000001944: DC508000 037F0002
000000000000194c <L0>:
	s_or_b64 exec, exec, s[4:5] // 00000000194C: 87FE047E
	s_movk_i32 s0, 0x80 // 000000001950: B0000080
	v_lshlrev_b32_e32 v1, 2, v0 // 000000001954: 24020082
	v_cmp_gt_u32_e32 vcc, s0, v0 // 000000001958: 7D980000
	s_waitcnt vmcnt(0) // 00000000195C: BF8C0F70
	ds_write_b32 v1, v3 // 000000001960: D81A0000 00000301
	s_waitcnt lgkmcnt(0) // 000000001968: BF8CC07F
	s_barrier // 00000000196C: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 000000001970: BE80206A
	s_cbranch_execz L1 // 000000001974: BF880006
	ds_read2st64_b32 v[2:3], v1 offset1:2 // 000000001978: D8700200 02000001
	s_waitcnt lgkmcnt(0) // 000000001980: BF8CC07F
	v_add_f32_e32 v2, v3, v2 // 000000001984: 02040503
	ds_write_b32 v1, v2 // 000000001988: D81A0000 00000201
0000000000001990 <L1>:
	s_or_b64 exec, exec, s[0:1] // 000000001990: 87FE007E
	v_cmp_gt_u32_e32 vcc, 64, v0 // 000000001994: 7D9800C0
	s_waitcnt lgkmcnt(0) // 000000001998: BF8CC07F
	s_barrier // 00000000199C: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 0000000019A0: BE80206A
	s_cbranch_execz L2 // 0000000019A4: BF880006
	ds_read2st64_b32 v[2:3], v1 offset1:1 // 0000000019A8: D8700100 02000001
	s_waitcnt lgkmcnt(0) // 0000000019B0: BF8CC07F
	v_add_f32_e32 v2, v3, v2 // 0000000019B4: 02040503
	ds_write_b32 v1, v2 // 0000000019B8: D81A0000 00000201
00000000000019c0 <L2>:
	s_or_b64 exec, exec, s[0:1] // 0000000019C0: 87FE007E
	v_cmp_gt_u32_e32 vcc, 32, v0 // 0000000019C4: 7D9800A0
	s_waitcnt lgkmcnt(0) // 0000000019C8: BF8CC07F
	s_barrier // 0000000019CC: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 0000000019D0: BE80206A
	s_cbranch_execz L3 // 0000000019D4: BF880006
	ds_read2_b32 v[2:3], v1 offset1:32 // 0000000019D8: D86E2000 02000001
	s_waitcnt lgkmcnt(0) // 0000000019E0: BF8CC07F
	v_add_f32_e32 v2, v3, v2 // 0000000019E4: 02040503
	ds_write_b32 v1, v2 // 0000000019E8: D81A0000 00000201
00000000000019f0 <L3>:
	s_or_b64 exec, exec, s[0:1] // 0000000019F0: 87FE007E
	v_cmp_gt_u32_e32 vcc, 16, v0 // 0000000019F4: 7D980090
	s_waitcnt lgkmcnt(0) // 0000000019F8: BF8CC07F
	s_barrier // 0000000019FC: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 000000001A00: BE80206A
	s_cbranch_execz L4 // 000000001A04: BF880006
	ds_read2_b32 v[2:3], v1 offset1:16 // 000000001A08: D86E1000 02000001
	s_waitcnt lgkmcnt(0) // 000000001A10: BF8CC07F
	v_add_f32_e32 v2, v3, v2 // 000000001A14: 02040503
	ds_write_b32 v1, v2 // 000000001A18: D81A0000 00000201
0000000000001a20 <L4>:
	s_or_b64 exec, exec, s[0:1] // 000000001A20: 87FE007E
	v_cmp_gt_u32_e32 vcc, 8, v0 // 000000001A24: 7D980088
	s_waitcnt lgkmcnt(0) // 000000001A28: BF8CC07F
	s_barrier // 000000001A2C: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 000000001A30: BE80206A
	s_cbranch_execz L5 // 000000001A34: BF880006
	ds_read2_b32 v[2:3], v1 offset1:8 // 000000001A38: D86E0800 02000001
	s_waitcnt lgkmcnt(0) // 000000001A40: BF8CC07F
	v_add_f32_e32 v2, v3, v2 // 000000001A44: 02040503
	ds_write_b32 v1, v2 // 000000001A48: D81A0000 00000201
0000000000001a50 <L5>:
	s_or_b64 exec, exec, s[0:1] // 000000001A50: 87FE007E
	v_cmp_gt_u32_e32 vcc, 4, v0 // 000000001A54: 7D980084
	s_waitcnt lgkmcnt(0) // 000000001A58: BF8CC07F
	s_barrier // 000000001A5C: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 000000001A60: BE80206A
	s_cbranch_execz L6 // 000000001A64: BF880006
	ds_read2_b32 v[2:3], v1 offset1:4 // 000000001A68: D86E0400 02000001
	s_waitcnt lgkmcnt(0) // 000000001A70: BF8CC07F
	v_add_f32_e32 v2, v3, v2 // 000000001A74: 02040503
	ds_write_b32 v1, v2 // 000000001A78: D81A0000 00000201
0000000000001a80 <L6>:
	s_or_b64 exec, exec, s[0:1] // 000000001A80: 87FE007E
	v_cmp_gt_u32_e32 vcc, 2, v0 // 000000001A84: 7D980082
	s_waitcnt lgkmcnt(0) // 000000001A88: BF8CC07F
	s_barrier // 000000001A8C: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 000000001A90: BE80206A
	s_cbranch_execz L7 // 000000001A94: BF880006
	ds_read2_b32 v[2:3], v1 offset1:2 // 000000001A98: D86E0200 02000001
	s_waitcnt lgkmcnt(0) // 000000001AA0: BF8CC07F
	v_add_f32_e32 v2, v3, v2 // 000000001AA4: 02040503
	ds_write_b32 v1, v2 // 000000001AA8: D81A0000 00000201
0000000000001ab0 <L7>:
	s_or_b64 exec, exec, s[0:1] // 000000001AB0: 87FE007E
	v_cmp_eq_u32_e32 vcc, 0, v0 // 000000001AB4: 7D940080
	s_waitcnt lgkmcnt(0) // 000000001AB8: BF8CC07F
	s_barrier // 000000001ABC: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 000000001AC0: BE80206A
	s_cbranch_execz L8 // 000000001AC4: BF880009
	v_mov_b32_e32 v0, 0 // 000000001AC8: 7E000280
	ds_read_b32 v0, v0 offset:4 // 000000001ACC: D86C0004 00000000
	ds_read_b32 v2, v1 // 000000001AD4: D86C0000 02000001
	s_waitcnt lgkmcnt(0) // 000000001ADC: BF8CC07F
	v_add_f32_e32 v0, v0, v2 // 000000001AE0: 02000500
	ds_write_b32 v1, v0 // 000000001AE4: D81A0000 00000001
0000000000001aec <L8>:
	s_or_b64 exec, exec, s[0:1] // 000000001AEC: 87FE007E
	s_waitcnt lgkmcnt(0) // 000000001AF0: BF8CC07F
	s_barrier // 000000001AF4: BF8A0000
	s_and_saveexec_b64 s[0:1], vcc // 000000001AF8: BE80206A
	s_cbranch_execz L9 // 000000001AFC: BF88000A
	v_mov_b32_e32 v0, 0 // 000000001B00: 7E000280
	ds_read_b32 v1, v0 // 000000001B04: D86C0000 01000000
	s_mov_b32 s7, 0 // 000000001B0C: BE870080
	s_lshl_b64 s[0:1], s[6:7], 2 // 000000001B10: 8E808206
	s_add_u32 s0, s2, s0 // 000000001B14: 80000002
	s_addc_u32 s1, s3, s1 // 000000001B18: 82010103
	s_waitcnt lgkmcnt(0) // 000000001B1C: BF8CC07F
	global_store_dword v0, v1, s[0:1] // 000000001B20: DC708000 00000100
0000000000001b28 <L9>:
	s_endpgm // 000000001B28: BF810000
