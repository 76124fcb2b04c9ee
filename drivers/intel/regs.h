/* SPDX-License-Identifier: BSD-2-Clause
 * The registers of 82576 and 82574 that are used, and no others, by the names that both data sheets
 * give them. Sections are of "82574 GbE Controller Family", revision 3.4; docs/intel.md says how
 * they were checked. All are 32 bits wide, little endian, in BAR 0.
 */
#ifndef DRIVERS_INTEL_REGS_H
#define DRIVERS_INTEL_REGS_H

#define BIT(n) (1u << (n))

/* General: CTRL 10.2.2.1, STATUS 10.2.2.2, MDIC 10.2.2.7 */
#define R_CTRL  0x0000
#define CTRL_FD BIT(0)
#define CTRL_MASTER_DISABLE                                                                        \
	BIT(2)                   /* no new DMA; STATUS_MASTER clears when the last one is done     \
				  */
#define CTRL_SLU          BIT(6) /* set link up: the MAC follows the PHY */
#define CTRL_FRCSPD       BIT(11)
#define CTRL_FRCDPX       BIT(12)
#define CTRL_RST          BIT(26) /* clears itself */
#define CTRL_RFCE         BIT(27)
#define CTRL_TFCE         BIT(28)
#define CTRL_VME          BIT(30) /* strip the VLAN tag */
#define R_STATUS          0x0008
#define STATUS_LU         BIT(1)
#define STATUS_SPEED(v)   (((v) >> 6) & 3) /* 10, 100, 1000, 1000 Mb/s */
#define STATUS_MASTER     BIT(19)          /* bus master operations may be pending */
#define R_EEC             0x0010
#define EEC_AUTO_RD       BIT(9) /* what the EEPROM holds has been loaded after a reset */
#define R_CTRL_EXT        0x0018
#define CTRL_EXT_DRV_LOAD BIT(28) /* tells the firmware that a driver is there */
#define CTRL_EXT_PBA      BIT(31) /* 82574: clear MSI-X pending bits on their cause's clearing */
#define R_MDIC            0x0020
#define MDIC_REG(n)       ((uint32_t)(n) << 16)
#define MDIC_PHY          (1u << 21) /* the internal PHY's address */
#define MDIC_WRITE        (1u << 26)
#define MDIC_READ         (2u << 26)
#define MDIC_READY        BIT(28)
#define MDIC_ERROR        BIT(30)

/* PHY registers by MDIC: IEEE 802.3, 22.2.4 */
#define PHY_BMCR           0
#define BMCR_AUTONEG_AGAIN BIT(9)
#define BMCR_AUTONEG       BIT(12)
#define PHY_BMSR           1
#define BMSR_AUTONEG_DONE  BIT(5)

/* Interrupts: ICR 10.2.4.1, IMS 10.2.4.5, IMC 10.2.4.6, IVAR 10.2.4.9 */
#define R_ICR              0x00c0 /* both: 82576 has it here too, for old drivers */
#define R_IMS              0x00d0 /* 82574; 82576 masks by EIMS */
#define R_IMC              0x00d8
#define CAUSE_RX           BIT(7) /* without MSI-X: RXDW of 82576, RXT0 of 82574 */
#define E1000E_EIAC        0x00dc /* causes that their vector's interrupt clears */
#define E1000E_IVAR        0x00e4
#define E1000E_CAUSE_RXQ0  BIT(20)
#define E1000E_IVAR_RXQ0   (BIT(3) | 0u) /* valid, vector 0 */
#define IGB_EIMS           0x1524
#define IGB_EIMC           0x1528
#define IGB_EIAC           0x152c
#define IGB_EIAM           0x1530
#define IGB_GPIE           0x1514
#define GPIE_NSICR         BIT(0) /* reading ICR clears it always */
#define GPIE_MULTIPLE_MSIX BIT(4)
#define GPIE_EIAME         BIT(30)
#define GPIE_PBA           BIT(31)
/* Four causes a register: receive n, transmit n, receive n + 8, transmit n + 8 */
#define IGB_IVAR(n)    (0x1700 + 4 * ((n)&7))
#define IGB_IVAR_RX(n) ((n) < 8 ? 0 : 16) /* shift */
#define IGB_IVAR_VALID BIT(7)

/* Receive: RCTL 10.2.5.1, MTA 10.2.5.21, RAL and RAH 10.2.5.22, .23 */
#define R_RCTL        0x0100
#define RCTL_EN       BIT(1)
#define RCTL_UPE      BIT(3)     /* every unicast address */
#define RCTL_MPE      BIT(4)     /* every multicast address */
#define RCTL_BAM      BIT(15)    /* broadcast */
#define RCTL_BSIZE_2K (0u << 16) /* bytes a buffer, BSEX clear */
#define RCTL_SECRC    BIT(26)    /* strip the CRC */
#define R_RXCSUM      0x5000
#define RXCSUM_PCSD   BIT(13) /* the descriptor carries the RSS hash, not a checksum */
#define R_RFCTL       0x5008
#define RFCTL_EXSTEN  BIT(15) /* 82574: extended descriptors */
#define R_MTA(n)      (0x5200 + 4 * (n))
#define MTA_WORDS     128
#define R_RAL(n)      (0x5400 + 8 * (n))
#define R_RAH(n)      (0x5404 + 8 * (n))
#define RAH_AV        BIT(31)
#define R_MRQC        0x5818
#define MRQC_RSS      2u /* 82576: RSS over up to 16 queues */
#define MRQC_TCP4     BIT(16)
#define MRQC_IP4      BIT(17)
#define MRQC_IP6      BIT(20)
#define MRQC_TCP6     BIT(21)
#define MRQC_UDP4     BIT(22)
#define MRQC_UDP6     BIT(23)
#define R_RETA(n)     (0x5c00 + 4 * (n)) /* four entries a register */
#define RETA_WORDS    32
#define R_RSSRK(n)    (0x5c80 + 4 * (n))
#define RSSRK_WORDS   10

/* A queue's block of registers, receive and transmit alike: 10.2.5.5 to .9, RXDCTL 10.2.5.11;
 * 10.2.6.4 to .8, TXDCTL 10.2.6.11 */
#define IGB_RX(n)        (0xc000 + 0x40 * (n))
#define IGB_TX(n)        (0xe000 + 0x40 * (n))
#define E1000E_RX        0x2800
#define E1000E_TX        0x3800
#define Q_BAL            0x00
#define Q_BAH            0x04
#define Q_LEN            0x08
#define Q_SRRCTL         0x0c /* 82576, receive */
#define SRRCTL_BSIZE(kb) (kb)
#define SRRCTL_ADVANCED  (1u << 25)
#define SRRCTL_DROP      BIT(31) /* no descriptor: drop, don't stop the other queues */
#define Q_HEAD           0x10
#define Q_TAIL           0x18
#define Q_DCTL           0x28
#define DCTL_PTHRESH(n)  (n)
#define DCTL_HTHRESH(n)  ((uint32_t)(n) << 8)
#define DCTL_WTHRESH(n)  ((uint32_t)(n) << 16)
#define DCTL_ONE         BIT(22) /* 82574, transmit: must be 1 */
#define DCTL_GRAN        BIT(24) /* 82574: thresholds in descriptors, not cache lines */
#define DCTL_ENABLE      BIT(25) /* 82576 */
#define IGB_RQDPC(n)     (0xc030 + 0x40 * (n))

/* Transmit: TCTL 10.2.6.1, TIPG 10.2.6.2 */
#define R_TCTL       0x0400
#define TCTL_EN      BIT(1)
#define TCTL_PSP     BIT(3) /* pad short frames */
#define TCTL_CT(n)   ((uint32_t)(n) << 4)
#define TCTL_COLD(n) ((uint32_t)(n) << 12)
#define R_TIPG       0x0410
/* As Linux has it; the last two are of half duplex */
#define TIPG_COPPER (8u | 8u << 10 | 6u << 20)

/* Statistics, cleared by reading, stuck at the end */
#define R_CRCERRS 0x4000
#define R_RXERRC  0x400c
#define R_MPC     0x4010
#define R_GPRC    0x4074
#define R_GPTC    0x4080
#define R_RNBC    0x40a0
#define R_RUC     0x40a4
#define R_RFC     0x40a8
#define R_ROC     0x40ac
#define R_RJC     0x40b0
#define R_TPR     0x40d0

#endif
